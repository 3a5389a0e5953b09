import Foundation
import SottoAudio
import SottoSpeechEngines
import SottoStreams
import SottoVoices
import Testing

/// Says every sentence as half a second of a ramp, or fails after some.
private struct ScriptedSynthesizer: SpeechSynthesizer {
    struct Broken: Error {}
    var sampleRate: Int { 8000 }
    var voices: [SynthesisVoice] { [] }
    var failsAfter = Int.max
    var hangsAfter = Int.max
    var requests = Channel<SpeechRequest>(capacity: 100)
    var reached = Channel<Void>(capacity: 100)

    func synthesize(_ request: SpeechRequest) -> SpeechChunks {
        SpeechChunks { emit in
            try await requests.send(request)
            for (index, part) in request.text.split(separator: ".").enumerated() {
                if index == failsAfter { throw Broken() }
                if index == hangsAfter {
                    try await reached.send(())
                    try await Task.sleep(for: .seconds(600))
                }
                let samples = (0..<4000).map { Float($0) / 4000 }
                try await emit(SpeechChunk(audio: AudioBuffer(samples: samples, sampleRate: 8000), text: String(part)))
            }
        }
    }
}

@Suite final class SpeechPipelineTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-voices-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test("Markdown is spoken form by the time the engine sees it; pieces arrive in order")
    func speaks() async throws {
        let engine = ScriptedSynthesizer()
        var texts: [String] = []
        let report = try await SpeechPipeline(synthesizer: engine).speak("# One\n\nIt is **42** [1]. Done.", voice: "v", speed: 1.5) {
            texts.append($0.text)
        }
        let request = try #require(try await engine.requests.next())
        #expect(request == SpeechRequest(text: "One.\n\nIt is forty two. Done.", voice: "v", speed: 1.5))
        #expect(texts.count == 3)
        #expect(report.chunks == 3)
        #expect(report.seconds == 1.5)
        #expect(try #require(report.timeToFirstAudio) <= report.elapsed)
    }

    @Test("the WAV file holds exactly the samples, with a right header")
    func wav() async throws {
        let path = folder.appending(path: "out.wav").path
        let report = try await SpeechPipeline(synthesizer: ScriptedSynthesizer()).write("One. Two.", to: path)
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
        func number(_ offset: Int, _ width: Int) -> Int { (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        #expect(bytes.count == 44 + 2 * 8000)
        #expect(number(4, 4) == bytes.count - 8)
        #expect(number(24, 4) == 8000)
        #expect(number(28, 4) == 16000)
        #expect(number(40, 4) == 16000)
        #expect(number(44 + 2 * 2000, 2) == Int((0.5 * 32767).rounded()))
        #expect(report.seconds == 1)
        #expect(try files() == ["out.wav"])
    }

    @Test("after a failure nothing is left, and the old file is untouched")
    func failure() async throws {
        let path = folder.appending(path: "out.wav").path
        try Data("old".utf8).write(to: URL(filePath: path))
        await #expect(throws: ScriptedSynthesizer.Broken.self) {
            try await SpeechPipeline(synthesizer: ScriptedSynthesizer(failsAfter: 1)).write("One. Two.", to: path)
        }
        #expect(try files() == ["out.wav"])
        #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
    }

    @Test("cancelling in the middle leaves nothing")
    func cancellation() async throws {
        let path = folder.appending(path: "out.wav").path
        let engine = ScriptedSynthesizer(hangsAfter: 1)
        let task = Task { try await SpeechPipeline(synthesizer: engine).write("One. Two.", to: path) }
        _ = try await engine.reached.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try files() == [])
    }

    @Test("a goal that cannot be written is a clear error before anything is spoken", arguments: ["/no/such/folder/a.wav", "/tmp"])
    func notWritable(path: String) async {
        let error = await #expect(throws: AudioError.self) {
            try await SpeechPipeline(synthesizer: ScriptedSynthesizer()).write("One.", to: path)
        }
        #expect(error?.code == .notWritable)
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
}
