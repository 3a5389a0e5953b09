import Foundation
import SottoAudio
public import SottoServiceExchange
import SottoSpeechEngines
import SottoStreams
import SottoText
import Synchronization

/// `POST /v1/audio/transcriptions` and `/v1/audio/translations` of the OpenAI interface, without a server.
///
/// ```swift
/// let handler = TranscriptionHandler(engines: engines)
/// let response = try await handler.respond(to: request)
/// ```
/// Understood: `file`, `model`, `language`, `response_format` (json, text, srt, verbose_json, vtt), `timestamp_granularities[]`, `stream` (server-sent
/// events `transcript.text.delta` and `transcript.text.done`). `prompt`, `temperature` above 0 and unknown fields have no effect, and the answer's header
/// `Sotto-Ignored` names them. In verbose_json `compression_ratio` and `no_speech_prob` are 0, since they are not measured here, and `tokens` is empty.
public struct TranscriptionHandler: Sendable {
    public struct Limits: Sendable {
        /// Bytes of the file, which is held in memory until it is heard.
        public var fileBytes: Int
        /// Bytes of all other fields together.
        public var fieldBytes: Int

        public init(fileBytes: Int = 128 << 20, fieldBytes: Int = 64 << 10) {
            self.fileBytes = fileBytes
            self.fieldBytes = fieldBytes
        }
    }

    private let engines: any TranscriptionEngines
    private let limits: Limits
    private let translating: Bool

    /// - Parameter translating: For the translations endpoint: the text is English whatever is spoken.
    public init(engines: any TranscriptionEngines, limits: Limits = Limits(), translating: Bool = false) {
        self.engines = engines
        self.limits = limits
        self.translating = translating
    }

    /// - Returns: The answer, an error object where something is wrong.
    /// - Throws: `CancellationError` alone, and what the request's own body throws when its connection breaks.
    public func respond(to request: ServiceRequest) async throws -> ServiceResponse {
        let upload: Upload
        do {
            upload = try await read(request)
        } catch let error as ServiceError {
            return error.response
        }
        do {
            return try await transcribe(upload)
        } catch {
            guard let error = ServiceError.of(error) else { throw error }
            return error.response
        }
    }

    private struct Upload {
        var form: TranscriptionForm
        var file: [UInt8]
        var fileName: String
    }

    private func read(_ request: ServiceRequest) async throws -> Upload {
        let contentType = request.header("content-type") ?? ""
        guard HeaderValue(contentType).value.lowercased() == "multipart/form-data" else {
            throw ServiceError(status: 415, "the body is to be multipart/form-data, not \"\(contentType)\"", code: "unsupported_media_type")
        }
        if let length = request.header("content-length").flatMap({ Int($0) }), length > limits.fileBytes + limits.fieldBytes + (64 << 10) { throw tooLarge }
        var fields: [(name: String, value: String)] = []
        var file: [UInt8]?
        var fileName = ""
        var open: MultipartParser.Head?
        var value: [UInt8] = []
        var fieldBytes = 0
        do {
            var parser = try MultipartParser(contentType: contentType)
            for try await bytes in request.body {
                for event in try parser.append(bytes) {
                    switch event {
                    case .part(let head):
                        open = head
                        value = []
                        if head.name == "file" {
                            guard file == nil else { throw ServiceError.bad("there is more than one file", "file") }
                            file = []
                            fileName = head.fileName ?? ""
                        }
                    case .data(let bytes):
                        if open?.name == "file" {
                            file?.append(contentsOf: bytes)
                            if (file?.count ?? 0) > limits.fileBytes { throw tooLarge }
                        } else {
                            fieldBytes += bytes.count
                            guard fieldBytes <= limits.fieldBytes else {
                                throw ServiceError(status: 413, "the fields beside the file are larger than \(limits.fieldBytes) bytes", code: "request_too_large")
                            }
                            value += bytes
                        }
                    case .partEnd:
                        if let head = open, head.name != "file" {
                            guard let text = String(validating: value, as: UTF8.self) else { throw ServiceError.bad("\(head.name) is not UTF-8 text", head.name) }
                            fields.append((head.name, text))
                        }
                        open = nil
                    }
                }
            }
            guard parser.isComplete else { throw ServiceError.bad("the body ends early") }
        } catch let fault as MultipartParser.Fault {
            throw ServiceError.bad("the body cannot be taken apart: \(fault.message)")
        }
        let form = try TranscriptionForm(fields)
        guard let file else { throw ServiceError.bad("you must provide a file", "file") }
        guard file.isEmpty == false else { throw ServiceError.bad("the file is empty; there is nothing to hear", "file", code: "invalid_audio") }
        return Upload(form: form, file: file, fileName: fileName)
    }

    private var tooLarge: ServiceError {
        ServiceError(status: 413, "the file is larger than \(limits.fileBytes >> 20) MiB", parameter: "file", code: "file_too_large")
    }

    private func transcribe(_ upload: Upload) async throws -> ServiceResponse {
        let form = upload.form
        let language = form.language.flatMap(LanguageTag.primary)
        let (recognizer, options) = try await engines.recognizer(model: form.model, language: language, translating: translating)
        let name = upload.fileName.isEmpty ? "the file" : upload.fileName
        let decoded = engines.audio(of: upload.file, name: name, sampleRate: recognizer.sampleRate)
        let heard = Heard()
        let audio = AudioStream { emit in
            for try await buffer in decoded {
                heard.add(buffer.samples.count)
                try await emit(buffer)
            }
        }
        let response: ServiceResponse
        if form.isStream {
            response = try await streamed(recognizer.transcribe(audio, options: options))
        } else {
            let finals = try await recognizer.transcribe(audio, options: options).finals()
            response = try Self.answer(finals, seconds: heard.seconds(at: recognizer.sampleRate), asked: form, told: language, translating: translating)
        }
        return response.naming(ignored: form.ignored)
    }

    private final class Heard: Sendable {
        private let count = Mutex(0)
        func add(_ samples: Int) { count.withLock { $0 += samples } }
        func seconds(at rate: Int) -> Double { Double(count.withLock { $0 }) / Double(rate) }
    }

    static func answer(_ finals: [Transcript], seconds: Double, asked form: TranscriptionForm, told language: String?, translating: Bool) throws -> ServiceResponse {
        let text = finals.map(\.text).joined(separator: " ")
        switch form.format {
        case .json: return try .json(Plain(text: text, usage: .init(seconds: Int(seconds.rounded(.up)))))
        case .text: return .text(text + "\n", type: "text/plain; charset=utf-8")
        case .srt: return .text(Subtitles.srt(finals.flatMap(\.cues)), type: "application/x-subrip; charset=utf-8")
        case .vtt: return .text(Subtitles.vtt(finals.flatMap(\.cues)), type: "text/vtt; charset=utf-8")
        case .verboseJSON:
            let spoken = finals.compactMap(\.language).first ?? language ?? "en"
            return try .json(
                Verbose(
                    task: translating ? "translate" : "transcribe", language: Self.name(of: spoken), duration: seconds, text: text,
                    segments: form.wantsSegments
                        ? finals.enumerated().map { index, final in
                            Verbose.Segment(
                                id: index, seek: Int(final.start * 100), start: final.start, end: final.end, text: final.text,
                                averageLogProbability: final.meanLogProbability)
                        } : nil,
                    words: form.wantsWords ? finals.flatMap(\.words).map { Verbose.Word(word: $0.text, start: $0.start, end: $0.end) } : nil,
                    usage: .init(seconds: Int(seconds.rounded(.up)))))
        }
    }

    /// The English name, as the interface has it.
    private static func name(of language: String) -> String {
        Locale(identifier: "en_US_POSIX").localizedString(forLanguageCode: language)?.lowercased() ?? language
    }

    /// Text while it is heard: each final is a piece. The first is waited for, so that what is wrong with the request is an error and no stream.
    private func streamed(_ updates: TranscriptUpdates) async throws -> ServiceResponse {
        let events = ProducedSequence<[UInt8]> { emit in
            var text = ""
            do {
                for try await case .final(let final) in updates {
                    let delta = text.isEmpty ? final.text : " " + final.text
                    text += delta
                    try await emit(try ServiceJSON.event(Delta(delta: delta)))
                }
            } catch {
                guard text.isEmpty == false, let told = ServiceError.of(error) else { throw error }
                // Too late for a status: the stream itself says that it is not whole.
                try await emit(try ServiceJSON.event(StreamError(error: .init(told))))
                return
            }
            try await emit(try ServiceJSON.event(Done(text: text)))
        }
        return .events(try await events.startedStream())
    }

    private struct Usage: Encodable {
        var type = "duration"
        var seconds: Int
    }

    private struct Plain: Encodable {
        var text: String
        var usage: Usage
    }

    private struct Verbose: Encodable {
        struct Segment: Encodable {
            var id: Int
            var seek: Int
            var start: Double
            var end: Double
            var text: String
            var tokens: [Int] = []
            var temperature = 0.0
            var averageLogProbability: Float
            var compressionRatio = 0.0
            var noSpeechProbability = 0.0

            enum CodingKeys: String, CodingKey {
                case id, seek, start, end, text, tokens, temperature
                case averageLogProbability = "avg_logprob"
                case compressionRatio = "compression_ratio"
                case noSpeechProbability = "no_speech_prob"
            }
        }

        struct Word: Encodable {
            var word: String
            var start: Double
            var end: Double
        }

        var task: String
        var language: String
        var duration: Double
        var text: String
        var segments: [Segment]?
        var words: [Word]?
        var usage: Usage
    }

    private struct Delta: Encodable {
        var type = "transcript.text.delta"
        var delta: String
    }

    private struct Done: Encodable {
        var type = "transcript.text.done"
        var text: String
    }

    private struct StreamError: Encodable {
        var type = "error"
        var error: ServiceError.Report.Fields
    }
}
