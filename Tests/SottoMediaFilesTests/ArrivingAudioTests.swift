import Foundation
import SottoAudio
import SottoMediaFiles
import SottoSpeechEngines
import SottoStreams
import SottoSubprocess
import Testing

private let hasProgram = (try? Subprocess.locate("ffmpeg")) != nil

@Suite(.enabled(if: hasProgram, "needs the program ffmpeg"))
struct ArrivingAudioTests {
    private let decoder = MediaDecoder(sampleRate: 16_000)

    private func tone(_ arguments: [String], suffix: String) async throws -> [UInt8] {
        let path = NSTemporaryDirectory() + UUID().uuidString + suffix
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await Subprocess.run(
            .init("ffmpeg", ["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "sine=440:duration=3:sample_rate=48000"] + arguments + [path])).checked()
        return [UInt8](try #require(FileManager.default.contents(atPath: path)))
    }

    private func chunks(_ bytes: [UInt8], of size: Int) -> ProducedSequence<[UInt8]> {
        ProducedSequence { emit in
            for start in stride(from: 0, to: bytes.count, by: size) { try await emit(Array(bytes[start..<min(start + size, bytes.count)])) }
        }
    }

    @Test("a file that arrives in pieces sounds as it does in one", arguments: [".wav", ".flac", ".mp3", ".ogg", ".m4a", ".mkv"], [100, 70_000])
    func pieces(suffix: String, size: Int) async throws {
        let bytes = try await tone(suffix == ".m4a" ? ["-c:a", "aac"] : [], suffix: suffix)
        func samples(_ audio: AudioStream) async throws -> [Float] {
            var samples: [Float] = []
            for try await buffer in audio { samples += buffer.samples }
            return samples
        }
        let whole = try await samples(decoder.audio(of: bytes))
        #expect(abs(whole.count - 48_000) < 4000)
        #expect(try await samples(decoder.audio(ofChunks: chunks(bytes, of: size))) == whole)
    }

    @Test("what has arrived is heard before the rest is there")
    func live() async throws {
        let bytes = try await tone([], suffix: ".wav")
        let heard = Channel<Bool>()
        let input = ProducedSequence<[UInt8]> { emit in
            // Two of three seconds; the rest only once some of it was heard.
            try await emit(Array(bytes[..<192_000]))
            _ = try await heard.next()
            try await emit(Array(bytes[192_000...]))
        }
        var samples = 0
        for try await buffer in decoder.audio(ofChunks: input) {
            if samples == 0 { try await heard.send(true) }
            samples += buffer.samples.count
        }
        #expect(samples == 48_000)
    }

    @Test("nothing, and what is no audio, are clear errors")
    func errors() async throws {
        func code(_ bytes: [UInt8]) async -> MediaError.Code? {
            do {
                for try await _ in decoder.audio(ofChunks: chunks(bytes, of: 7), name: "standard input") {}
                return nil
            } catch {
                return (error as? MediaError)?.code
            }
        }
        #expect(await code([]) == .empty)
        #expect(await code(Array("just some text".utf8)) == .unknownFormat)
        #expect(await code(Array("RIFF\u{10}\u{0}\u{0}\u{0}WAVEgarbage".utf8)) == .damaged)
    }

    @Test("the length that a file states")
    func duration() async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".flac"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(try await tone([], suffix: ".flac")).write(to: URL(fileURLWithPath: path))
        #expect(await decoder.duration(ofFile: path).map { abs($0 - 3) < 0.05 } == true)
        #expect(await decoder.duration(ofFile: path + ".none") == nil)
    }
}
