import Foundation
import SottoAudio
import SottoMediaFiles
import SottoStreams
import SottoSubprocess
import Testing

private let hasProgram = (try? Subprocess.locate("ffmpeg")) != nil
private let corpora = ProcessInfo.processInfo.environment["SOTTO_CORPORA"]

@Suite(.enabled(if: hasProgram, "needs the program ffmpeg"))
struct MediaDecoderTests {
    private let decoder = MediaDecoder(sampleRate: 16_000)

    /// A tone made by ffmpeg itself in the asked container.
    private func tone(_ arguments: [String], suffix: String) async throws -> String {
        let path = NSTemporaryDirectory() + UUID().uuidString + suffix
        _ = try await Subprocess.run(.init("ffmpeg", ["-nostdin", "-loglevel", "error"] + arguments + [path])).checked()
        return path
    }

    @Test("a tone keeps its pitch, level and length in every container", arguments: [
        (".wav", ["-c:a", "pcm_s16le"]), (".flac", []), (".mp3", []), (".m4a", ["-c:a", "aac"]), (".ogg", ["-c:a", "libvorbis"]), (".opus", []),
        (".webm", ["-c:a", "libopus"]), (".aac", []), (".aiff", []), (".au", []), (".caf", []), (".mkv", ["-c:a", "flac"]), (".wv", []),
        (".mp4", ["-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov"]), (".wma", []), (".ts", ["-c:a", "aac"]), (".avi", []), (".mov", ["-c:a", "pcm_s16le"]),
    ])
    func containers(suffix: String, codec: [String]) async throws {
        let path = try await tone(["-f", "lavfi", "-i", "sine=440:duration=2:sample_rate=48000", "-ac", "2"] + codec, suffix: suffix)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let buffer = try await decoder.read(path)
        #expect(abs(buffer.seconds - 2) < 0.12)
        // The middle second: 440 cycles cross zero upwards 440 times.
        let middle = buffer.samples[8000..<24000]
        let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 440) <= 2)
        // ffmpeg's sine has an amplitude of 1/8.
        let power = middle.reduce(0) { $0 + $1 * $1 } / Float(middle.count)
        #expect(abs(power.squareRoot() - 0.125 / Float(2).squareRoot()) < 0.01)
    }

    @Test("the index of a long MP4 may stand at its end, and the film's sound is found")
    func seeking() async throws {
        let path = try await tone(
            ["-f", "lavfi", "-i", "testsrc=duration=20:size=640x480", "-f", "lavfi", "-i", "sine=440:duration=20", "-c:v", "mpeg4", "-b:v", "4M", "-c:a", "aac"],
            suffix: ".mp4")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try #require(FileManager.default.contents(atPath: path)).count > 500_000)
        #expect(abs(try await decoder.read(path).seconds - 20) < 0.1)
    }

    @Test("a film without sound, and files that are none, say so in one line")
    func clearErrors() async throws {
        let silent = try await tone(["-f", "lavfi", "-i", "testsrc=duration=1", "-c:v", "mpeg4"], suffix: ".mp4")
        defer { try? FileManager.default.removeItem(atPath: silent) }
        #expect(await code { try await decoder.read(silent) } == .noSound)
        for (bytes, expected): ([UInt8], MediaError.Code) in [
            ([], .empty), (Array("just some text\n".utf8), .unknownFormat), ((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }, .unknownFormat),
            (Array("RIFF\u{10}\u{0}\u{0}\u{0}WAVEgarbage".utf8), .damaged), (Array("OggS".utf8) + [UInt8](repeating: 7, count: 3000), .damaged),
            (Array("fLaC".utf8), .damaged), (Array("#EXTM3U\nfile:///etc/passwd\n".utf8), .unknownFormat),
            (Array("ffconcat version 1.0\nfile /etc/passwd\n".utf8), .unknownFormat),
        ] {
            #expect(await code { for try await _ in decoder.audio(of: bytes) {} } == expected)
        }
        #expect(await code { try await decoder.read("/no/such/file.wav") } == .unreadable)
        #expect(await code { try await decoder.read("/tmp") } == .unreadable)
        #expect(await code { try await decoder.read("/dev/zero") } == .unreadable)
    }

    @Test("what a cut file still holds is delivered")
    func truncated() async throws {
        let path = try await tone(["-f", "lavfi", "-i", "sine=440:duration=4"], suffix: ".flac")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
        var seconds = 0.0
        do {
            for try await buffer in decoder.audio(of: Array(bytes.prefix(bytes.count / 2))) { seconds += buffer.seconds }
        } catch let error as MediaError {
            #expect(error.code == .damaged)
        }
        #expect(seconds > 1.5 && seconds < 2.5)
    }

    @Test("a recording longer than the limit ends with an error after the limit")
    func limit() async throws {
        let path = try await tone(["-f", "lavfi", "-i", "sine=440:duration=4"], suffix: ".wav")
        defer { try? FileManager.default.removeItem(atPath: path) }
        var seconds = 0.0
        let short = MediaDecoder(sampleRate: 16_000, limits: .init(seconds: 1.5))
        let error = await #expect(throws: MediaError.self) {
            for try await buffer in short.audio(ofFile: path) { seconds += buffer.seconds }
        }
        #expect(error?.code == .limitReached)
        #expect(abs(seconds - 1.5) < 1e-9)
    }

    @Test("recordings of the corpus have their listed length, whatever the container", .enabled(if: corpora != nil, "needs SOTTO_CORPORA"))
    func corpus() async throws {
        let root = try #require(corpora) + "/speech/"
        let rows = try String(contentsOfFile: root + "manifest.tsv", encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        let formats = rows.filter { $0[9] == "asr-format" || $0[9] == "silence" }
        #expect(formats.count > 8)
        for row in formats {
            let seconds = try await decoder.read(root + row[0]).seconds
            #expect(abs(seconds - (Double(row[4]) ?? -1)) < 0.1, "\(row[0])")
        }
        for row in rows where row[9] == "broken-file" {
            let error = await #expect(throws: MediaError.self, "\(row[0])") { try await decoder.read(root + row[0]) }
            #expect(error?.message.contains("\n") == false)
        }
    }

    private func code(_ body: () async throws -> some Any) async -> MediaError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? MediaError)?.code
        }
    }
}
