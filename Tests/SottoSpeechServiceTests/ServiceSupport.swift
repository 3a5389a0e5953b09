import Foundation
import SottoAudio
import SottoServiceExchange
import SottoSpeechEngines
import SottoSpeechService
import SottoStreams
import Synchronization
import Testing

/// Says what it was told to say, whatever it hears; the audio is eight bits a sample.
final class ScriptedHearing: TranscriptionEngines {
    struct Recognizer: SpeechRecognizer {
        var sampleRate = 16_000
        var finals: [Transcript]
        var failure: (any Error)?

        struct Session: RecognitionSession {
            let finals: [Transcript]
            let failure: (any Error)?
            let rest = Rest()

            final class Rest: Sendable {
                let said = Mutex(0)
            }

            /// One final a buffer.
            func accept(_ samples: [Float]) async throws -> [TranscriptUpdate] {
                let next = rest.said.withLock { count in
                    defer { count += 1 }
                    return count
                }
                if next < finals.count { return [.final(finals[next])] }
                if let failure { throw failure }
                return []
            }

            func finish() async throws -> [TranscriptUpdate] {
                let next = rest.said.withLock { $0 }
                if let failure, next < finals.count || finals.isEmpty { throw failure }
                return finals.dropFirst(next).map { .final($0) }
            }
            var lastSpeech: Double? { get async { nil } }
            var coverage: Coverage { get async { Coverage() } }
        }

        func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession { Session(finals: finals, failure: failure) }
    }

    struct Asked: Equatable {
        var model: String
        var language: String?
        var translating: Bool
    }

    private let recognizer: Recognizer
    private let refusal: (any Error)?
    let asked = Mutex<[Asked]>([])
    let heard = Mutex<[UInt8]>([])

    init(_ finals: [Transcript], failure: (any Error)? = nil, refusal: (any Error)? = nil) {
        recognizer = Recognizer(finals: finals, failure: failure)
        self.refusal = refusal
    }

    func recognizer(model: String, language: String?, translating: Bool) async throws -> (recognizer: any SpeechRecognizer, options: RecognitionOptions) {
        asked.withLock { $0.append(Asked(model: model, language: language, translating: translating)) }
        if let refusal { throw refusal }
        return (recognizer, RecognitionOptions())
    }

    func audio(of file: [UInt8], name: String, sampleRate: Int) -> AudioStream {
        heard.withLock { $0 = file }
        return AudioStream { emit in
            if file.starts(with: Array("broken".utf8)) { throw AudioInputError("\(name) is not an audio file") }
            for start in stride(from: 0, to: file.count, by: 8_000) {
                try await emit(AudioBuffer(samples: [Float](repeating: 0, count: min(8_000, file.count - start)), sampleRate: sampleRate))
            }
        }
    }
}

/// Speaks every word as a tenth of a second of its own loudness.
struct ScriptedVoice: SpeakingEngines {
    var failure: SynthesisError?
    /// After how many words it fails.
    var failsAfter = 0
    var speeds: ClosedRange<Double> = 0.5...2
    let asked = Asked()

    final class Asked: Sendable {
        let speeds = Mutex<[Double]>([])
    }

    func voices() async throws -> [SynthesisVoice] { [.init(name: "anna", languages: ["en"]), .init(name: "ben", languages: ["en"])] }

    func speech(of text: String, model: String, voice: String, speed: Double) async throws -> (chunks: SpeechChunks, sampleRate: Int) {
        if model == "dall-e" { throw ServiceError.unknownModel(model) }
        asked.speeds.withLock { $0.append(speed) }
        let (failure, failsAfter) = (failure, failsAfter)
        return (
            SpeechChunks { emit in
                for (index, word) in text.split(separator: " ").enumerated() {
                    if let failure, index >= failsAfter { throw failure }
                    try await emit(SpeechChunk(audio: AudioBuffer(samples: [Float](repeating: Float(index + 1) / 100, count: 2_400), sampleRate: 24_000), text: String(word)))
                }
            }, 24_000
        )
    }

    func encoded(_ audio: AudioStream, sampleRate: Int, as format: SpeechFormat) -> ProducedSequence<[UInt8]>? {
        guard format == .mp3 else { return nil }
        return ProducedSequence { emit in for try await buffer in audio { try await emit(Array("mp3:\(buffer.samples.count);".utf8)) } }
    }
}

/// A form as clients send it, and the header that goes with it.
func form(_ fields: [(String, String)], file: [UInt8]? = nil, named name: String = "take.wav") -> ServiceRequest {
    var body: [UInt8] = []
    for (field, value) in fields { body += Array("--XyZ\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n".utf8) }
    if let file {
        body += Array("--XyZ\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: audio/wav\r\n\r\n".utf8) + file + Array("\r\n".utf8)
    }
    body += Array("--XyZ--\r\n".utf8)
    let whole = body
    // In pieces, as a network brings them.
    return ServiceRequest(
        headers: [("CONTENT-TYPE", "multipart/form-data; boundary=XyZ")],
        body: ProducedSequence { emit in
            for start in stride(from: 0, to: whole.count, by: 1_000) { try await emit(Array(whole[start..<min(start + 1_000, whole.count)])) }
        })
}

extension ServiceResponse {
    var bytes: [UInt8] {
        get async throws {
            switch body {
            case .whole(let bytes): return bytes
            case .stream(let stream):
                var bytes: [UInt8] = []
                for try await part in stream { bytes += part }
                return bytes
            }
        }
    }

    var text: String { get async throws { String(decoding: try await bytes, as: UTF8.self) } }

    var json: [String: Any] {
        get async throws { try #require(try JSONSerialization.jsonObject(with: Data(try await bytes)) as? [String: Any]) }
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The fields of the error object.
    var error: [String: Any] { get async throws { try #require(try await json["error"] as? [String: Any]) } }
}
