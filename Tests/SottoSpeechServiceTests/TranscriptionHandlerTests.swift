import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMediaFiles
import SottoMoonshineRecognizer
import SottoSileroVoiceActivity
import SottoServiceExchange
import SottoSpeechEngines
import SottoSpeechService
import SottoStreams
import SottoText
import Synchronization
import Testing

private let environment = ProcessInfo.processInfo.environment
private let models = environment["SOTTO_MODELS"] ?? (environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache") + "/sotto/models"
private let hasModels = ["/moonshine-tiny-en/encoder_model.ort", "/silero-vad/silero_vad.onnx"].allSatisfy { FileManager.default.fileExists(atPath: models + $0) }
private let speech = environment["SOTTO_CORPORA"].map { $0 + "/speech/" } ?? ""

@Suite struct TranscriptionHandlerTests {
    private static let finals = [
        Transcript(text: "Guten Tag.", start: 0.5, end: 1.5, tokens: [.init(text: " Guten", probability: 1)], language: "de"),
        Transcript(text: "Es geht.", start: 2, end: 3, language: "de"),
    ]
    /// Two seconds.
    private static let file = [UInt8](repeating: 7, count: 32_000)

    private func respond(
        _ fields: [(String, String)], file: [UInt8]? = file, _ engines: ScriptedHearing = ScriptedHearing(finals), limits: TranscriptionHandler.Limits = .init(),
        translating: Bool = false
    ) async throws -> ServiceResponse {
        try await TranscriptionHandler(engines: engines, limits: limits, translating: translating).respond(to: form(fields, file: file))
    }

    @Test("JSON, the default")
    func json() async throws {
        let engines = ScriptedHearing(Self.finals)
        let response = try await respond([("model", "whisper-1"), ("language", "de-AT")], engines)
        #expect(response.status == 200 && response.header("Content-Type") == "application/json")
        let json = try await response.json
        #expect(json["text"] as? String == "Guten Tag. Es geht.")
        #expect((json["usage"] as? [String: Any])?["seconds"] as? Int == 2)
        #expect(engines.asked.withLock { $0 } == [.init(model: "whisper-1", language: "de", translating: false)])
        #expect(engines.heard.withLock { $0 } == Self.file)
        #expect(response.header("Sotto-Ignored") == nil)
    }

    @Test("plain text and subtitles")
    func formats() async throws {
        #expect(try await respond([("model", "m"), ("response_format", "text")]).text == "Guten Tag. Es geht.\n")
        let srt = try await respond([("response_format", "srt"), ("model", "m")]).text
        #expect(srt == "1\n00:00:00,500 --> 00:00:01,500\nGuten Tag.\n\n2\n00:00:02,000 --> 00:00:03,000\nEs geht.\n")
        let vtt = try await respond([("response_format", "vtt"), ("model", "m")])
        #expect(try await vtt.text.hasPrefix("WEBVTT\n\n00:00:00.500 --> 00:00:01.500\nGuten Tag.\n"))
        #expect(vtt.header("Content-Type")?.hasPrefix("text/vtt") == true)
    }

    @Test("verbose JSON has what clients' types need; words when asked")
    func verbose() async throws {
        let json = try await respond([("model", "m"), ("response_format", "verbose_json")]).json
        #expect(json["task"] as? String == "transcribe" && json["language"] as? String == "german" && json["duration"] as? Double == 2)
        let segments = try #require(json["segments"] as? [[String: Any]])
        #expect(segments.map { $0["text"] as? String } == ["Guten Tag.", "Es geht."])
        let keys = ["id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio", "no_speech_prob"]
        #expect(Set(segments[0].keys) == Set(keys))
        #expect(json["words"] == nil)
        let words = try await respond([("model", "m"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word")]).json
        #expect((words["words"] as? [[String: Any]])?.map { $0["word"] as? String } == ["Guten", "Tag.", "Es", "geht."])
        #expect(words["segments"] == nil)
        let both = try await respond([
            ("model", "m"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"), ("timestamp_granularities[]", "segment"),
        ]).json
        #expect(both["words"] != nil && both["segments"] != nil)
    }

    @Test("a stream gives each piece as it is heard, then the whole")
    func stream() async throws {
        let response = try await respond([("model", "m"), ("stream", "true")])
        #expect(response.header("Content-Type") == "text/event-stream")
        let events = try await response.text.split(separator: "\n\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.dropFirst("data: ".count).utf8)) as? [String: Any])
        }
        #expect(events.map { $0["type"] as? String } == ["transcript.text.delta", "transcript.text.delta", "transcript.text.done"])
        #expect(events.dropLast().compactMap { $0["delta"] as? String }.joined() == "Guten Tag. Es geht.")
        #expect(events.last?["text"] as? String == "Guten Tag. Es geht.")
    }

    @Test("an error before the first piece of a stream is an error; after it the stream says that it is not whole")
    func brokenStream() async throws {
        let failure = RecognitionError(.engineFailed, "the engine broke")
        let early = try await respond([("model", "m"), ("stream", "true")], ScriptedHearing([], failure: failure))
        #expect(early.status == 500)
        #expect(try await early.error["message"] as? String == "the engine broke")
        let late = try await respond([("model", "m"), ("stream", "true")], ScriptedHearing([Self.finals[0]], failure: failure))
        let text = try await late.text
        #expect(text.contains("transcript.text.delta") && text.contains("\"type\":\"error\"") && text.contains("transcript.text.done") == false)
    }

    @Test("translations ask for English")
    func translations() async throws {
        let engines = ScriptedHearing([Transcript(text: "Good day.", language: "en")])
        let json = try await respond([("model", "whisper-1"), ("response_format", "verbose_json")], engines, translating: true).json
        #expect(json["task"] as? String == "translate" && json["language"] as? String == "english")
        #expect(engines.asked.withLock { $0.first?.translating } == true)
    }

    @Test("what has no effect is said", arguments: [("prompt", "names"), ("temperature", "0.5"), ("chunking_strategy", "auto")])
    func ignored(field: String, value: String) async throws {
        let response = try await respond([("model", "m"), (field, value)])
        #expect(response.status == 200 && response.header("Sotto-Ignored") == field)
    }

    @Test("a client cannot write headers by the names of its fields")
    func headerInjection() async throws {
        let response = try await respond([("model", "m"), ("a\u{7F}é, b: c", "1")])
        #expect(response.header("Sotto-Ignored") == "a?????b:?c" || response.header("Sotto-Ignored")?.contains(",") == false)
        #expect(response.headers.allSatisfy { header in header.value.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value < 127 } })
    }

    @Test("a wrong request is an error object with the parameter's name", arguments: [
        ([("response_format", "json")], "model"), ([("model", "m"), ("response_format", "docx")], "response_format"), ([("model", "m"), ("temperature", "hot")], "temperature"),
        ([("model", "m"), ("temperature", "7")], "temperature"), ([("model", "m"), ("stream", "perhaps")], "stream"), ([("model", "m"), ("stream", "true"), ("response_format", "srt")], "stream"),
        ([("model", "m"), ("timestamp_granularities[]", "word")], "timestamp_granularities"),
        ([("model", "m"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "letter")], "timestamp_granularities"),
    ] as [([(String, String)], String)])
    func wrong(fields: [(String, String)], parameter: String) async throws {
        let response = try await respond(fields)
        #expect(response.status == 400)
        let error = try await response.error
        #expect(error["param"] as? String == parameter && error["type"] as? String == "invalid_request_error")
        #expect((error["message"] as? String)?.isEmpty == false && error.keys.contains("code"))
    }

    @Test("a file that is missing, empty, no audio, given twice or too large")
    func files() async throws {
        let missing = try await respond([("model", "m")], file: nil)
        #expect(missing.status == 400)
        #expect(try await missing.error["param"] as? String == "file")
        #expect(try await respond([("model", "m")], file: []).status == 400)
        let broken = try await respond([("model", "m")], file: Array("broken".utf8))
        #expect(broken.status == 400)
        #expect(try await broken.error["message"] as? String == "take.wav is not an audio file")
        let large = try await respond([("model", "m")], limits: .init(fileBytes: 10_000))
        #expect(large.status == 413)
        let fields = try await respond([("model", String(repeating: "m", count: 5_000))], limits: .init(fieldBytes: 1_000))
        #expect(fields.status == 413)
    }

    @Test("bodies that are no form, or not whole")
    func bodies() async throws {
        let handler = TranscriptionHandler(engines: ScriptedHearing(Self.finals))
        #expect(try await handler.respond(to: .init(headers: [("Content-Type", "application/json")], body: Array("{}".utf8))).status == 415)
        #expect(try await handler.respond(to: .init(headers: [], body: [])).status == 415)
        #expect(try await handler.respond(to: .init(headers: [("content-type", "multipart/form-data; boundary=b")], body: Array("--b\r\n".utf8))).status == 400)
        #expect(try await handler.respond(to: .init(headers: [("content-type", "multipart/form-data")], body: [])).status == 400)
        let announced = ServiceRequest(headers: [("content-type", "multipart/form-data; boundary=b"), ("content-length", "999999999999")], body: [])
        #expect(try await handler.respond(to: announced).status == 413)
    }

    @Test("a model that is not there, or not installed", arguments: [
        (ServiceError.unknownModel("x") as any Error, 404, "model_not_found"), (RecognitionError(.modelNotLoaded, "run: sotto models pull x"), 503, "model_not_installed"),
        (RecognitionError(.unsupportedLanguage, "no such language"), 400, "unsupported_language"),
    ] as [(any Error & Sendable, Int, String)])
    func refusals(error: any Error & Sendable, status: Int, code: String) async throws {
        let response = try await respond([("model", "x")], ScriptedHearing([], refusal: error))
        #expect(response.status == status)
        #expect(try await response.error["code"] as? String == code)
    }

    @Test("a connection that breaks while it sends ends the request")
    func brokenConnection() async throws {
        struct Broken: Error {}
        let request = ServiceRequest(
            headers: [("content-type", "multipart/form-data; boundary=XyZ")],
            body: ProducedSequence { emit in
                try await emit(Array("--XyZ\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nRIFF".utf8))
                throw Broken()
            })
        await #expect(throws: Broken.self) { try await TranscriptionHandler(engines: ScriptedHearing(Self.finals)).respond(to: request) }
    }

    /// The real recognizer and decoder behind the handler.
    private struct RealEngines: TranscriptionEngines {
        let recognizer: MoonshineRecognizer

        func recognizer(model: String, language: String?, translating: Bool) async throws -> (recognizer: any SpeechRecognizer, options: RecognitionOptions) {
            (recognizer, RecognitionOptions(language: .fixed(language ?? "en")))
        }

        func audio(of file: [UInt8], name: String, sampleRate: Int) -> AudioStream {
            AudioStream { emit in
                do {
                    for try await buffer in MediaDecoder(sampleRate: sampleRate).audio(of: file, name: name) { try await emit(buffer) }
                } catch let error as MediaError {
                    throw AudioInputError(error.message)
                }
            }
        }
    }

    @Test("a real recording through the real engines", .enabled(if: hasModels && speech.isEmpty == false, "needs moonshine-tiny-en, silero-vad and SOTTO_CORPORA"))
    func real() async throws {
        let budget = ComputeBudget(threads: 2)
        let detector = try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget)
        let engines = RealEngines(recognizer: try MoonshineRecognizer(modelFolder: models + "/moonshine-tiny-en", voiceActivity: detector, budget: budget))
        let handler = TranscriptionHandler(engines: engines)
        let file = [UInt8](try #require(FileManager.default.contents(atPath: speech + "voice2json/dev/would_you_please_turn_on_living_room_lamp.wav")))
        let response = try await handler.respond(to: form([("model", "whisper-1"), ("language", "en")], file: file))
        let heard = TranscriptNormalizer.words(try await response.json["text"] as? String ?? "")
        #expect(WordErrorRate(reference: TranscriptNormalizer.words("would you please turn on the living room lamp"), hypothesis: heard).rate <= 0.25, "\(heard)")
        let wrong = try await handler.respond(to: form([("model", "whisper-1")], file: Array("this is no recording".utf8), named: "x.mp3"))
        #expect(wrong.status == 400)
        #expect((try await wrong.error["message"] as? String)?.contains("x.mp3") == true)
        let german = try await handler.respond(to: form([("model", "whisper-1"), ("language", "de")], file: file))
        #expect(german.status == 400)
    }
}
