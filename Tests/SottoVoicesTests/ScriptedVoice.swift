import Foundation
import SottoAudio
import SottoSpeechEngines
import SottoStreams
import Synchronization

@testable import SottoVoices

/// A world in which a style is heard as it is: speech carries its style in its first samples, and the encoder reads it back.
struct StyledVoice: StyleSynthesizing {
    static let width = 12
    let sampleRate = 16_000
    let styleWidth = StyledVoice.width
    var stockStyles: [StockStyle] = [
        StockStyle(name: "high", style: (0..<12).map { $0 == 0 ? 1 : 0 }), StockStyle(name: "low", style: (0..<12).map { $0 == 1 ? 1 : 0 }),
    ]
    /// Styles that give no speech.
    var isMute: @Sendable ([Float]) -> Bool = { _ in false }
    let spoken = Counter()

    func speech(of sentence: String, style: [Float]) async throws -> AudioBuffer {
        spoken.add()
        if isMute(style) { throw SynthesisError(.engineFailed, "this style gives silence") }
        return AudioBuffer(samples: style + [Float](repeating: Float(sentence.count) / 1000, count: 16_000), sampleRate: sampleRate)
    }
}

final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

/// Hears of a voice what its first samples say, bent by a square so that no map is exact.
struct ScriptedEncoder: SpeakerEncoding {
    let sampleRate = 16_000

    static func direction(_ style: [Float]) -> [Float] {
        let bent = [Float(2)] + style.map { $0 + 0.05 * $0 * $0 }
        let length = bent.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return bent.map { $0 / length }
    }

    func embedding(of audio: AudioBuffer) async throws -> [Float] {
        guard audio.samples.count >= 8000 else { throw SpeakerError(.tooLittleSpeech, "there is too little speech") }
        return Self.direction(Array(audio.samples.prefix(StyledVoice.width)))
    }
}

/// Hears whatever it is told, one text a recording.
struct ScriptedEars: SpeechRecognizer {
    let sampleRate = 16_000
    let texts: [String]
    private let next = Counter()

    init(_ texts: String...) { self.texts = texts }

    func makeSession(_ options: RecognitionOptions) async throws -> any RecognitionSession {
        defer { next.add() }
        return Session(text: texts.isEmpty ? "" : texts[min(next.count, texts.count - 1)])
    }

    private struct Session: RecognitionSession {
        let text: String
        var lastSpeech: Double? { get async { nil } }
        var coverage: Coverage { get async { Coverage() } }
        func accept(_ samples: [Float]) async throws -> [TranscriptUpdate] { [] }
        func finish() async throws -> [TranscriptUpdate] { text.isEmpty ? [] : [.final(Transcript(text: text))] }
    }
}

extension StyleMap {
    /// What a regression would find in the scripted world: nearly right, but for the first ways, which it takes for less than they are.
    static var scripted: StyleMap {
        let width = StyledVoice.width
        return StyleMap(
            styleMean: [Double](repeating: 0, count: width), directionMean: (0...width).map { $0 == 0 ? 0.9 : 0 },
            ways: (0..<width).map { way in (0..<width).map { $0 == way ? 1 : 0 } }, sounds: (0..<width).map { way in (0...width).map { $0 == way + 1 ? (way < 4 ? 0.8 : 0.4) : 0 } },
            pitchMean: 7, pitchWeights: [Double](repeating: 0, count: width),
            sentences: [.init(text: "One.", bias: [Float](repeating: 0, count: width + 1)), .init(text: "Another one.", bias: [Float](repeating: 0, count: width + 1))])
    }
}
