import Foundation
import SottoAudio
import SottoSpeechEngines
import SottoStreams
import SottoText
import SottoVoices
import Testing

/// Says every sentence as half a second of a ramp, or fails after some; notes the scripts' parts.
private struct ScriptedSynthesizer: SpeechSynthesizer {
    struct Broken: Error {}
    var sampleRate: Int { 8000 }
    var voices: [SynthesisVoice] { [] }
    var failsAfter = Int.max
    var hangsAfter = Int.max
    var parts = Channel<SpeechPart>(capacity: 100)
    var manners = Channel<SpeechRequest>(capacity: 100)
    var reached = Channel<Void>(capacity: 100)

    func synthesize(_ request: SpeechRequest) -> SpeechChunks {
        synthesize(SpeechScript([.sentence(written: request.text, spoken: request.text)], voice: request.voice, speed: request.speed))
    }

    func synthesize(_ script: SpeechScript) -> SpeechChunks {
        SpeechChunks { emit in
            try await manners.send(SpeechRequest(text: "", voice: script.voice, speed: script.speed))
            var index = 0
            for try await part in script.parts {
                try await parts.send(part)
                guard case .sentence(let written, _) = part else { continue }
                if index == failsAfter { throw Broken() }
                if index == hangsAfter {
                    try await reached.send(())
                    try await Task.sleep(for: .seconds(600))
                }
                index += 1
                let samples = (0..<4000).map { Float($0) / 4000 }
                try await emit(SpeechChunk(audio: AudioBuffer(samples: samples, sampleRate: 8000), text: written))
            }
            parts.finish()
        }
    }
}

/// Speaks whole requests only; scripts come through the protocol's own way.
private struct PlainSynthesizer: SpeechSynthesizer {
    var sampleRate: Int { 8000 }
    var voices: [SynthesisVoice] { [] }

    func synthesize(_ request: SpeechRequest) -> SpeechChunks {
        SpeechChunks { emit in try await emit(SpeechChunk(audio: AudioBuffer(samples: [0], sampleRate: 8000), text: request.text)) }
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
        let pipeline = SpeechPipeline(synthesizer: engine, pronunciations: Pronunciations(parsing: "Done = finished"))
        let report = try await pipeline.speak("# One\n\nIt is **42** [1]. Done.", voice: "v", speed: 1.5) { texts.append($0.text) }
        #expect(try await engine.manners.next() == SpeechRequest(text: "", voice: "v", speed: 1.5))
        var parts: [SpeechPart] = []
        while let part = try await engine.parts.next() { parts.append(part) }
        #expect(parts == [
            .sentence(written: "One.", spoken: "One."), .paragraphEnd, .sentence(written: "It is 42.", spoken: "It is forty two."),
            .sentence(written: "Done.", spoken: "finished."), .paragraphEnd,
        ])
        #expect(texts == ["One.", "It is 42.", "Done."])
        #expect(report.chunks == 3)
        #expect(report.seconds == 1.5)
        #expect(try #require(report.timeToFirstAudio) <= report.elapsed)
    }

    @Test("a sentence is spoken before the text has ended")
    func streams() async throws {
        let rest = Channel<String>(capacity: 1)
        let pieces = ProducedSequence<String> { emit in
            try await emit("It rained. The su")
            while let piece = try await rest.next() { try await emit(piece) }
        }
        var speech = SpeechPipeline(synthesizer: ScriptedSynthesizer()).speech(of: pieces).makeAsyncIterator()
        // Nothing more has come yet.
        #expect(try await speech.next()?.text == "It rained.")
        try await rest.send("n came out. ")
        rest.finish()
        #expect(try await speech.next()?.text == "The sun came out.")
        #expect(try await speech.next() == nil)
    }

    @Test("an engine that knows whole requests only is given one a sentence")
    func plain() async throws {
        var texts: [String] = []
        _ = try await SpeechPipeline(synthesizer: PlainSynthesizer()).speak("It is 5. Yes.") { texts.append($0.text) }
        #expect(texts == ["It is 5.", "Yes."])
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
