import Foundation
import SottoAudio
public import SottoServiceExchange
import SottoSpeechEngines
import SottoStreams

/// `POST /v1/audio/speech` of the OpenAI interface, without a server.
///
/// Understood: `input`, `model`, `voice` (ours, or one of OpenAI's names, which stand for ours in order; the header `Sotto-Voice` says which speaks),
/// `response_format` (mp3, opus, aac, flac, wav, pcm), `speed` (0.25 to 4; what the engine cannot do is brought to its nearest, and `Sotto-Speed` says
/// so), `stream_format` (audio, sse). Other fields have no effect and are named in `Sotto-Ignored`. The body comes while it is made.
public struct SpeechHandler: Sendable {
    public struct Limits: Sendable {
        /// Bytes of the request.
        public var bodyBytes: Int
        /// Characters of the text.
        public var characters: Int

        public init(bodyBytes: Int = 1 << 20, characters: Int = 100_000) {
            self.bodyBytes = bodyBytes
            self.characters = characters
        }
    }

    /// The rate of `pcm`, in hertz.
    private static let pcmRate = 24_000
    /// The names that clients offer; programs send them without asking which there are.
    private static let openAIVoices = [
        "alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse", "marin", "cedar",
    ]

    private let engines: any SpeakingEngines
    private let limits: Limits

    public init(engines: any SpeakingEngines, limits: Limits = Limits()) {
        self.engines = engines
        self.limits = limits
    }

    /// - Returns: The answer, an error object where something is wrong.
    /// - Throws: `CancellationError` alone, and what the request's own body throws when its connection breaks.
    public func respond(to request: ServiceRequest) async throws -> ServiceResponse {
        let bytes: [UInt8]
        do {
            bytes = try await request.json(limit: limits.bodyBytes)
        } catch let error as ServiceError {
            return error.response
        }
        do {
            return try await speak(try SpeechForm(bytes, longest: limits.characters))
        } catch {
            guard let error = ServiceError.of(error) else { throw error }
            return error.response
        }
    }

    private func speak(_ form: SpeechForm) async throws -> ServiceResponse {
        let voice = try Self.voice(form.voice, among: try await engines.voices())
        let speed = min(max(form.speed, engines.speeds.lowerBound), engines.speeds.upperBound)
        let (chunks, rate) = try await engines.speech(of: form.input, model: form.model, voice: voice, speed: speed)
        let audio = AudioStream { emit in for try await chunk in chunks { try await emit(chunk.audio) } }
        let encoded: ProducedSequence<[UInt8]>
        switch form.format {
        case .wav:
            encoded = ProducedSequence { emit in
                try await emit(WAVFile.openHeader(sampleRate: rate))
                for try await buffer in audio { try await emit(WAVFile.quantized(buffer.samples)) }
            }
        case .pcm:
            encoded = ProducedSequence { emit in
                for try await buffer in audio {
                    let fitting = rate == Self.pcmRate ? buffer : try buffer.resampled(to: Self.pcmRate)
                    try await emit(WAVFile.quantized(fitting.samples))
                }
            }
        default:
            guard let made = engines.encoded(audio, sampleRate: rate, as: form.format) else {
                throw ServiceError.bad("\(form.format.rawValue) cannot be made on this machine; wav and pcm can", "response_format")
            }
            encoded = made
        }
        var headers: [(name: String, value: String)] = [("Sotto-Voice", voice)]
        if speed != form.speed { headers.append(("Sotto-Speed", "\(speed)")) }
        guard form.isEventStream else {
            // The first bytes are waited for, so that what is wrong with the request is an error and no stream.
            return ServiceResponse(headers: [("Content-Type", form.format.contentType)] + headers, body: .stream(try await encoded.startedStream())).naming(ignored: form.ignored)
        }
        let started = try await encoded.startedStream()
        let events = ProducedSequence<[UInt8]> { emit in
            do {
                for try await bytes in started { try await emit(try ServiceJSON.event(Delta(audio: Data(bytes).base64EncodedString()))) }
            } catch {
                guard let told = ServiceError.of(error) else { throw error }
                return try await emit(try ServiceJSON.event(StreamError(error: .init(told))))
            }
            try await emit(try ServiceJSON.event(Done()))
        }
        return ServiceResponse.events(events, headers: headers).naming(ignored: form.ignored)
    }

    /// - Throws: ``ServiceError`` that lists the voices.
    static func voice(_ name: String, among voices: [SynthesisVoice]) throws(ServiceError) -> String {
        if voices.contains(where: { $0.name == name }) { return name }
        if let place = openAIVoices.firstIndex(of: name.lowercased()), voices.isEmpty == false { return voices[place % voices.count].name }
        throw .bad("there is no voice \"\(name)\"; there are \(voices.map(\.name).joined(separator: ", "))", "voice", code: "unknown_voice")
    }

    private struct Delta: Encodable {
        var type = "speech.audio.delta"
        var audio: String
    }

    private struct Done: Encodable {
        var type = "speech.audio.done"
    }

    private struct StreamError: Encodable {
        var type = "error"
        var error: ServiceError.Report.Fields
    }
}
