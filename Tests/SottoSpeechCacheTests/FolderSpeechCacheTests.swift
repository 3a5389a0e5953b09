import Foundation
import SottoAudio
import SottoSpeechCache
import SottoSpeechEngines
import Testing

@Suite final class FolderSpeechCacheTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-speech-cache-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func key(_ text: String, voice: String = "v", model: String = "m", speed: Double = 1) -> SpeechKey {
        SpeechKey(text: text, voice: voice, model: model, speed: speed)
    }

    private func speech(_ value: Float, count: Int = 1000) -> AudioBuffer {
        AudioBuffer(samples: [Float](repeating: value, count: count), sampleRate: 24_000)
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    @Test("what is kept comes back, also from another cache over the folder, to 16 bits")
    func keeps() async throws {
        let cache = FolderSpeechCache(path: folder.path)
        #expect(await cache.speech(for: key("a")) == nil)
        await cache.keep(AudioBuffer(samples: [0, 0.5, -0.25, 1, -1], sampleRate: 24_000), for: key("a"))
        for cache in [cache, FolderSpeechCache(path: folder.path)] {
            let kept = try #require(await cache.speech(for: key("a")))
            #expect(kept.sampleRate == 24_000)
            #expect(zip(kept.samples, [0, 0.5, -0.25, 1, -1]).allSatisfy { abs($0 - $1) < 0.0001 })
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + (try #require(try files().first)))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("text, voice, model and speed each make a difference")
    func keys() async {
        let cache = FolderSpeechCache(path: folder.path)
        await cache.keep(speech(0.1), for: key("a"))
        for other in [key("b"), key("a", voice: "w"), key("a", model: "n"), key("a", speed: 1.1), key("v\u{0}a", voice: "")] {
            #expect(await cache.speech(for: other) == nil)
        }
    }

    @Test("the least recently used go when the limit is passed; one that is used stays")
    func bounded() async throws {
        // Four of 2044 bytes and their frame fit.
        let cache = FolderSpeechCache(path: folder.path, limit: 9000)
        for name in ["a", "b", "c", "d"] { await cache.keep(speech(0.1), for: key(name)) }
        #expect(await cache.speech(for: key("a")) != nil)
        await cache.keep(speech(0.1), for: key("e"))
        #expect(await cache.speech(for: key("b")) == nil)
        for name in ["a", "c", "d", "e"] { #expect(await cache.speech(for: key(name)) != nil) }
        #expect(try files().count == 4)
        await cache.keep(speech(0.1, count: 4000), for: key("too long"))
        #expect(await cache.speech(for: key("too long")) == nil)
        await cache.clear()
        #expect(try files().isEmpty)
    }

    @Test("a damaged file counts as missing and is removed")
    func damaged() async throws {
        let cache = FolderSpeechCache(path: folder.path)
        await cache.keep(speech(0.1), for: key("a"))
        let file = folder.path + "/" + (try #require(try files().first))
        var bytes = try #require(FileManager.default.contents(atPath: file))
        bytes[100] ^= 1
        try bytes.write(to: URL(filePath: file))
        #expect(await FolderSpeechCache(path: folder.path).speech(for: key("a")) == nil)
        #expect(try files().isEmpty)
        await cache.keep(speech(0.1), for: key("a"))
        #expect(await cache.speech(for: key("a")) != nil)
    }

    @Test("a folder that cannot be made costs the cache, not the speech")
    func unwritable() async {
        let cache = FolderSpeechCache(path: "/dev/null/no")
        await cache.keep(speech(0.1), for: key("a"))
        #expect(await cache.speech(for: key("a")) == nil)
    }
}
