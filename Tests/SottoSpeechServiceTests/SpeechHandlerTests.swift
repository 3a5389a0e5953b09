import Foundation
import SottoAudio
import SottoMediaFiles
import SottoServiceExchange
import SottoSpeechEngines
import SottoSpeechService
import SottoStreams
import SottoSubprocess
import Synchronization
import Testing

@Suite struct SpeechHandlerTests {
    private func respond(_ json: String, _ engines: ScriptedVoice = ScriptedVoice(), limits: SpeechHandler.Limits = .init()) async throws -> ServiceResponse {
        try await SpeechHandler(engines: engines, limits: limits).respond(to: .init(headers: [("Content-Type", "application/json; charset=utf-8")], body: Array(json.utf8)))
    }

    @Test("PCM is 16 bits at 24 kHz, piece by piece")
    func pcm() async throws {
        let response = try await respond(#"{"model": "tts-1", "input": "one two", "voice": "anna", "response_format": "pcm"}"#)
        #expect(response.status == 200 && response.header("Content-Type") == "audio/pcm" && response.header("Sotto-Voice") == "anna")
        let bytes = try await response.bytes
        #expect(bytes.count == 2 * 2 * 2_400)
        // 0.01 · 32768 = 328, low byte first.
        #expect(Array(bytes.prefix(2)) == [0x48, 0x01])
    }

    @Test("WAV reaches to its end without saying how long it is, and our own reader and ffmpeg agree")
    func wav() async throws {
        let bytes = try await respond(#"{"model": "tts-1", "input": "one two three", "voice": "ben", "response_format": "wav"}"#).bytes
        let read = try WAVFile(bytes: bytes)
        #expect(read.sampleRate == 24_000 && read.channels == 1 && read.interleaved.count == 7_200)
    }

    @Test("mp3 is the default, and what cannot be made is said")
    func formats() async throws {
        let response = try await respond(#"{"model": "tts-1", "input": "one two", "voice": "anna"}"#)
        #expect(try await response.text == "mp3:2400;mp3:2400;")
        #expect(response.header("Content-Type") == "audio/mpeg")
        let opus = try await respond(#"{"model": "tts-1", "input": "one", "voice": "anna", "response_format": "opus"}"#)
        #expect(opus.status == 400)
        #expect(try await opus.error["param"] as? String == "response_format")
    }

    @Test("speeds beyond the engine's are brought to its nearest, and the answer says so", arguments: [(0.25, 0.5), (0.75, 0.75), (4.0, 2.0)])
    func speeds(asked: Double, used: Double) async throws {
        let engines = ScriptedVoice()
        let response = try await respond("{\"model\": \"tts-1\", \"input\": \"one\", \"voice\": \"anna\", \"speed\": \(asked)}", engines)
        #expect(engines.asked.speeds.withLock { $0 } == [used])
        #expect(response.header("Sotto-Speed") == (asked == used ? nil : "\(used)"))
    }

    @Test("the names that clients of OpenAI send stand for ours, and the answer says for which", arguments: [("alloy", "anna"), ("ash", "ben"), ("Nova", "anna")])
    func voices(asked: String, used: String) async throws {
        let response = try await respond("{\"model\": \"tts-1\", \"input\": \"one\", \"voice\": {\"id\": \"\(asked)\"}}")
        #expect(response.header("Sotto-Voice") == used)
    }

    @Test("server-sent events carry the audio in base64")
    func events() async throws {
        let response = try await respond(#"{"model": "tts-1", "input": "one two", "voice": "anna", "response_format": "pcm", "stream_format": "sse"}"#)
        #expect(response.header("Content-Type") == "text/event-stream")
        let events = try await response.text.split(separator: "\n\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.dropFirst("data: ".count).utf8)) as? [String: Any])
        }
        #expect(events.map { $0["type"] as? String } == ["speech.audio.delta", "speech.audio.delta", "speech.audio.done"])
        #expect(events[0]["audio"].flatMap { Data(base64Encoded: $0 as? String ?? "") }?.count == 4_800)
    }

    @Test("a wrong request is an error object with the parameter's name", arguments: [
        (#"{"input": "a", "voice": "anna"}"#, "model"), (#"{"model": "m", "voice": "anna"}"#, "input"), (#"{"model": "m", "input": "  ", "voice": "anna"}"#, "input"),
        (#"{"model": "m", "input": "a"}"#, "voice"), (#"{"model": "m", "input": "a", "voice": "zoe"}"#, "voice"), (#"{"model": "m", "input": 5, "voice": "anna"}"#, "input"),
        (#"{"model": "m", "input": "a", "voice": "anna", "speed": 5}"#, "speed"), (#"{"model": "m", "input": "a", "voice": "anna", "speed": true}"#, "speed"),
        (#"{"model": "m", "input": "a", "voice": "anna", "speed": "fast"}"#, "speed"), (#"{"model": "m", "input": "a", "voice": "anna", "response_format": "midi"}"#, "response_format"),
        (#"{"model": "m", "input": "a", "voice": "anna", "stream_format": "x"}"#, "stream_format"),
    ])
    func wrong(json: String, parameter: String) async throws {
        let response = try await respond(json)
        #expect(response.status == 400)
        #expect(try await response.error["param"] as? String == parameter)
    }

    @Test("bodies that are no JSON, too large, or of another kind")
    func bodies() async throws {
        #expect(try await respond("[1]").status == 400)
        #expect(try await respond("{").status == 400)
        #expect(try await respond(#"{"model": "m", "input": "aaaaaaaaaaaa", "voice": "anna"}"#, limits: .init(characters: 5)).status == 400)
        #expect(try await respond(#"{"model": "m", "input": "a", "voice": "anna"}"#, limits: .init(bodyBytes: 10)).status == 413)
        let handler = SpeechHandler(engines: ScriptedVoice())
        #expect(try await handler.respond(to: .init(headers: [("content-type", "text/plain")], body: [])).status == 415)
        #expect(try await respond(#"{"model": "dall-e", "input": "a", "voice": "anna"}"#).status == 404)
    }

    @Test("an engine that fails before the first sound is an error, one that fails later breaks the stream")
    func failures() async throws {
        let first = try await respond(#"{"model": "m", "input": "one", "voice": "anna", "response_format": "pcm"}"#, ScriptedVoice(failure: .init(.nothingToSay, "there is nothing to say")))
        #expect(first.status == 400)
        #expect(try await first.error["message"] as? String == "there is nothing to say")
        let later = try await respond(
            #"{"model": "m", "input": "one two three", "voice": "anna", "response_format": "pcm"}"#,
            ScriptedVoice(failure: .init(.engineFailed, "the engine broke"), failsAfter: 2))
        #expect(later.status == 200)
        await #expect(throws: SynthesisError.self) { _ = try await later.bytes }
    }

    /// Tones through ffmpeg, decoded again by our decoder.
    @Test("every format that is streamed can be decoded again, with its length", .enabled(if: (try? Subprocess.locate("ffmpeg")) != nil, "needs ffmpeg"),
        arguments: MediaEncoder.StreamFormat.allCases)
    func encoders(format: MediaEncoder.StreamFormat) async throws {
        let tone = (0..<48_000).map { Float(0.3) * Float(sin(Double($0) * 2 * .pi * 440 / 24_000)) }
        let audio = AudioStream { emit in
            for start in stride(from: 0, to: tone.count, by: 4_800) { try await emit(AudioBuffer(samples: Array(tone[start..<(start + 4_800)]), sampleRate: 24_000)) }
        }
        var bytes: [UInt8] = []
        for try await part in MediaEncoder().encoded(audio, sampleRate: 24_000, as: format) { bytes += part }
        var seconds = 0.0
        var energy: Float = 0
        for try await buffer in MediaDecoder(sampleRate: 24_000).audio(of: bytes, name: format.rawValue) {
            seconds += buffer.seconds
            energy += buffer.samples.reduce(0) { $0 + $1 * $1 }
        }
        // Encoders add a frame or two of their own.
        #expect(abs(seconds - 2) < 0.15)
        #expect(abs(energy / 48_000 - 0.045) < 0.01)
    }
}
