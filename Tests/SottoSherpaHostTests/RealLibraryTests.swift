import Foundation
import SottoAudio
import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines
import SottoStreams
import SottoSubprocess
import SottoText
import Testing

@testable import SottoSherpaHost

/// sherpa-onnx itself, with networks that are told what to say (`Fixtures/make.py`).
@Suite(.serialized, .enabled(if: Setting.hasLibrary, "needs .runtime/lib/sherpa")) struct RealLibraryTests {
    private func hear(_ parts: [[Float]], _ folder: String = "tones", partials: Bool = false) async throws -> [TranscriptUpdate] {
        let recognizer = try Setting.recognizer(try Setting.model(folder), Setting.real)
        var updates: [TranscriptUpdate] = []
        // Pieces of an odd length, as a sound server gives them.
        let samples = parts.flatMap { $0 }
        let audio = AudioStream { emit in
            for start in stride(from: 0, to: samples.count, by: 1237) {
                try await emit(AudioBuffer(samples: Array(samples[start..<min(samples.count, start + 1237)]), sampleRate: 16_000))
            }
        }
        for try await update in recognizer.transcribe(audio, options: .init(partials: partials)) { updates.append(update) }
        return updates
    }

    private func finals(_ updates: [TranscriptUpdate]) -> [Transcript] {
        updates.compactMap { if case .final(let transcript) = $0 { transcript } else { nil } }
    }

    @Test("what was sounded is heard, with the times of its words", arguments: ["tones", "zipformer"])
    func tones(folder: String) async throws {
        #expect(try Setting.model(folder).kind == "streaming transducer")
        let heard = finals(
            try await hear(
                [Setting.silence(0.5), Setting.tone(300, 0.4), Setting.tone(3000, 0.4), Setting.tone(300, 0.4), Setting.silence(1.5)], folder))
        #expect(heard.map(\.text) == ["LOW HIGH LOW"])
        let segment = try #require(heard.first)
        #expect(abs(segment.start - 0.5) < 0.2 && abs(segment.end - 1.7) < 0.6, "\(segment.start)…\(segment.end)")
        #expect(segment.tokens.map(\.text) == [" LOW", " HIGH", " LOW"])
        let words = try #require(segment.measuredWords)
        #expect(words.map(\.text) == ["LOW", "HIGH", "LOW"])
        for (word, start) in zip(words, [0.5, 0.9, 1.3]) { #expect(abs(word.start - start) < 0.2, "\(word)") }
    }

    @Test(
        "a word that ends an utterance and begins the next is in both: the stream is begun anew at the endpoint", arguments: ["tones", "zipformer"])
    func repeatedAcrossEndpoint(folder: String) async throws {
        // With the library's own reset the predictor still holds LOW, and the second one is not said.
        let heard = finals(
            try await hear(
                [
                    Setting.tone(3000, 0.4), Setting.tone(300, 0.4), Setting.silence(2), Setting.tone(300, 0.4), Setting.tone(3000, 0.4),
                    Setting.silence(2),
                ], folder))
        #expect(heard.map(\.text) == ["HIGH LOW", "LOW HIGH"])
        #expect((heard.last?.start ?? 0) > 2)
    }

    @Test("a recording that is cut in its last word keeps it: the padding is the model's own step")
    func cutAtWordEnd() async throws {
        // Less than the 13 frames that a step looks at.
        #expect(finals(try await hear([Setting.tone(300, 0.5), Setting.tone(3000, 0.06)])).map(\.text) == ["LOW HIGH"])
        #expect(finals(try await hear([Setting.tone(300, 0.1)])).map(\.text) == ["LOW"])
    }

    @Test("partials grow, and what they call settled stays")
    func partials() async throws {
        let updates = try await hear((0..<6).map { Setting.tone($0.isMultiple(of: 2) ? 300 : 3000, 0.4) } + [Setting.silence(1.5)], partials: true)
        var settled = ""
        var count = 0
        for case .partial(let committed, let tail) in updates {
            #expect(committed.text.hasPrefix(settled))
            #expect(tail.text.isEmpty == false)
            settled = committed.text
            count += 1
        }
        #expect(count >= 4)
        let final = try #require(finals(updates).first?.text)
        #expect(final == "LOW HIGH LOW HIGH LOW HIGH" && final.hasPrefix(settled) && settled.isEmpty == false)
    }

    @Test("what the model hears where nobody speaks is dropped")
    func gate() async throws {
        // Loud enough for the model, too quiet for the voice activity.
        let murmur = Setting.tone(300, 1).map { $0 * 0.05 }
        #expect(finals(try await hear([murmur, Setting.silence(2), Setting.tone(3000, 0.5), Setting.silence(1)])).map(\.text) == ["HIGH"])
        #expect(try await hear([Setting.silence(8)]).isEmpty)
    }

    @Test("recordings one after another know nothing of one another")
    func recordings() async throws {
        let recognizer = try Setting.recognizer(try Setting.model("tones"), Setting.real)
        for _ in 0..<3 {
            let audio = AudioStream(AudioBuffer(samples: Setting.tone(300, 0.5), sampleRate: 16_000))
            #expect(try await recognizer.transcribe(audio).finals().map(\.text) == ["LOW"])
        }
        async let one = recognizer.transcribe(AudioStream(AudioBuffer(samples: Setting.tone(300, 1), sampleRate: 16_000))).finals()
        async let other = recognizer.transcribe(AudioStream(AudioBuffer(samples: Setting.tone(3000, 1), sampleRate: 16_000))).finals()
        #expect(try await one.map(\.text) == ["LOW"])
        #expect(try await other.map(\.text) == ["HIGH"])
    }

    @Test("the tail padding is what the model looks at and steps by")
    func padding() async throws {
        let connection = try await SherpaConnection.open(SherpaLoad(model: try Setting.model("tones").model), Setting.real)
        // 13 frames of 25 ms every 10 ms are 145 ms; 8 frames are 80 ms.
        #expect(abs(connection.loaded.firstStep - 0.145) < 0.011)
        #expect(abs(connection.loaded.step - 0.08) < 0.001)
    }

    @Test("a model without its properties ends the library's process, not ours")
    func damaged() async throws {
        let path = Setting.fixtures + "/damaged"
        let model = SherpaModelFiles(
            SherpaModel(
                .streamingTransducer,
                files: [
                    "encoder": path + "/encoder.onnx", "decoder": path + "/decoder.onnx", "joiner": path + "/joiner.onnx",
                    "tokens": path + "/tokens.txt",
                ]))
        let recognizer = try Setting.recognizer(model, Setting.real)
        let error = await #expect(throws: RecognitionError.self) {
            _ = try await recognizer.transcribe(AudioStream(AudioBuffer(samples: Setting.tone(300, 1), sampleRate: 16_000))).finals()
        }
        #expect(error?.code == .modelNotLoaded)
        #expect(error?.message.contains("num_encoder_layers") == true, "\(error?.message ?? "")")
    }

    @Test("files that are none of the model's are refused, whatever the library does over them")
    func wrongFiles() async throws {
        let folder = Setting.temporaryPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let garbage = folder + "/garbage.onnx"
        try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }).write(to: URL(fileURLWithPath: garbage))
        let tones = Setting.fixtures + "/tones"
        for files in [
            ["encoder": garbage, "decoder": tones + "/decoder.onnx", "joiner": tones + "/joiner.onnx", "tokens": tones + "/tokens.txt"],
            [
                "encoder": tones + "/encoder.onnx", "decoder": tones + "/joiner.onnx", "joiner": tones + "/decoder.onnx",
                "tokens": tones + "/tokens.txt",
            ],
            [
                "encoder": tones + "/encoder.onnx", "decoder": tones + "/decoder.onnx", "joiner": tones + "/joiner.onnx",
                "tokens": folder + "/none.txt",
            ],
            ["encoder": tones + "/encoder.onnx"], [:],
        ] {
            let recognizer = try Setting.recognizer(SherpaModelFiles(SherpaModel(.streamingTransducer, files: files)), Setting.real)
            await #expect(throws: RecognitionError.self, "\(files)") {
                _ = try await recognizer.transcribe(AudioStream(AudioBuffer(samples: Setting.tone(300, 1), sampleRate: 16_000))).finals()
            }
        }
    }

    @Test("the child ends when its parent is gone, without a word", .timeLimit(.minutes(2)))
    func orphan() async throws {
        let requests = [
            try SherpaFrame(.describe, request: 1, json: SherpaGreeting()),
            try SherpaFrame(.load, request: 2, json: SherpaLoad(model: try Setting.model("tones").model)),
        ]
        // The input ends after the requests, as when the parent has died.
        let output = try await Subprocess.run(.init(Setting.program, [Setting.library], input: .bytes(try requests.flatMap { try $0.encoded() })))
        #expect(output.status == .exited(0))
    }

    @Test("requests that make no sense are answered, and the next one works")
    func badRequests() async throws {
        let connection = try await SherpaConnection.open(SherpaLoad(model: try Setting.model("tones").model), Setting.real)
        for (kind, samples) in [(SherpaFrame.Kind.feed, [Float](repeating: 0, count: 10)), (.flush, []), (.reference, [0, 0])] {
            await #expect(throws: SherpaHostError.self, "\(kind)") { try await connection.ask(kind, samples: samples, deadline: .seconds(60)) }
        }
        await #expect(throws: SherpaHostError.self) {
            try await connection.ask(.synthesize, json: SherpaSpeech(text: "hello"), deadline: .seconds(60))
        }
        #expect(try await connection.ask(.begin, deadline: .seconds(60)).kind == .done)
        #expect(try await connection.ask(.feed, samples: Setting.tone(300, 0.5), deadline: .seconds(60)).kind == .done)
    }

    @Test("bytes that are no requests end the child with a reason")
    func malformedRequests() async throws {
        let output = try await Subprocess.run(.init(Setting.program, [Setting.library], input: .bytes([UInt8](repeating: 0xFF, count: 64))))
        #expect(output.status == .exited(65))
        #expect(String(decoding: output.standardError, as: UTF8.self).contains("cannot be understood"))
        let usage = try await Subprocess.run(.init(Setting.program))
        #expect(usage.status == .exited(2))
    }

    @Test("a library that is not there is an error that says what to do")
    func noLibrary() async throws {
        let configuration = SherpaConfiguration(program: Setting.program, arguments: ["/nowhere"])
        let error = await #expect(throws: SherpaHostError.self) {
            _ = try await SherpaConnection.open(SherpaLoad(model: try Setting.model("tones").model), configuration)
        }
        #expect(error?.code == .notStarted)
        #expect(error?.message.contains("setup-runtime") == true)
    }
}
