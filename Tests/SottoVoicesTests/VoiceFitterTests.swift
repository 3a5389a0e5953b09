import Foundation
import SottoAudio
import SottoSpeechEngines
import Testing

@testable import SottoVoices

/// Over scripted engines: what is heard is known, so what should be found is, too.
@Suite struct VoiceFitterTests {
    private static let hidden: [Float] = [0.6, -0.4, 0.8, -0.7, 0.5, 0.3, -0.2, 0.4, -0.5, 0.1, 0.2, -0.3]
    private static let sample = AudioBuffer(samples: hidden + [Float](repeating: 0.01, count: 16_000), sampleRate: 16_000)

    private static var configuration: VoiceFitter.Configuration {
        var configuration = VoiceFitter.Configuration()
        configuration.ways = 12
        configuration.width = 0.3
        return configuration
    }

    private static func fitter(_ synthesizer: StyledVoice = StyledVoice(), recognizer: (any SpeechRecognizer)? = nil) -> VoiceFitter {
        VoiceFitter(synthesizer: synthesizer, encoder: ScriptedEncoder(), recognizer: recognizer, map: .scripted, configuration: configuration)
    }

    @Test("the map alone comes nearer than any stock voice, and the search nearer still")
    func nearer() async throws {
        let fitter = Self.fitter()
        var progress = try await fitter.begin(Self.sample, seed: 1)
        let target = ScriptedEncoder.direction(Self.hidden)
        let stock = try #require(StyledVoice().stockStyles.map { Double(ScriptedEncoder.direction($0.style).likeness(to: target)) }.max())
        let first = try await fitter.judged(progress)
        #expect(first.likeness > stock + 0.05 && first.tries == 0)
        var told = 0
        try await fitter.refine(&progress, tries: 240) { progress in
            told += 1
            #expect(progress.tries == told)
        }
        let found = try await fitter.judged(progress)
        #expect(told == 240 && found.tries == 240)
        #expect(found.likeness > first.likeness && found.likeness > 0.99)
    }

    @Test("a fit that was written down in the middle of a round ends where one without a break does")
    func resuming() async throws {
        let fitter = Self.fitter()
        var whole = try await fitter.begin(Self.sample, seed: 7)
        var broken = whole
        try await fitter.refine(&whole, tries: 30) { _ in }
        try await fitter.refine(&broken, tries: 17) { _ in }
        var resumed = try JSONDecoder().decode(FitProgress.self, from: JSONEncoder().encode(broken))
        #expect(resumed == broken)
        try await fitter.refine(&resumed, tries: 30) { _ in }
        #expect(resumed == whole)
        // Nothing is tried that was tried already.
        try await fitter.refine(&resumed, tries: 20) { _ in Issue.record("there was nothing left to try") }
    }

    @Test("styles that give no speech are left behind; a voice of which none does is an error")
    func mute() async throws {
        var synthesizer = StyledVoice()
        synthesizer.isMute = { $0[0] > 0.9 }
        var progress = try await Self.fitter(synthesizer).begin(Self.sample, seed: 1)
        try await Self.fitter(synthesizer).refine(&progress, tries: 120) { _ in }
        #expect(try await Self.fitter(synthesizer).judged(progress).values[0] <= 0.9)
        synthesizer.isMute = { _ in true }
        let silent = Self.fitter(synthesizer)
        var nothing = try await silent.begin(Self.sample, seed: 1)
        await #expect(throws: SynthesisError.self) { try await silent.refine(&nothing, tries: 50) { _ in } }
        await #expect(throws: SynthesisError.self) { try await silent.judged(nothing) }
        let failures = nothing.failures
        #expect(failures < 12)
    }

    @Test("words that are not heard cost likeness, and are told")
    func intelligibility() async throws {
        let deaf = Self.fitter(recognizer: ScriptedEars("something else entirely"))
        let progress = try await deaf.begin(Self.sample, seed: 1)
        #expect(try await deaf.judged(progress).wordErrorRate == 1)
        #expect(try await Self.fitter().judged(progress).wordErrorRate == nil)
    }

    @Test("a sample without speech is refused, and a cancel passes through with nothing lost")
    func errors() async throws {
        await #expect(throws: SpeakerError.self) { try await Self.fitter().begin(AudioBuffer(samples: [0, 0], sampleRate: 16_000), seed: 1) }
        let fitter = Self.fitter()
        var progress = try await fitter.begin(Self.sample, seed: 1)
        await #expect(throws: CancellationError.self) {
            try await fitter.refine(&progress, tries: 50) { if $0.tries == 5 { throw CancellationError() } }
        }
        let tries = progress.tries
        #expect(tries == 5)
    }
}

@Suite struct StyleMapTests {
    @Test("the map in the program is whole, and guesses that stock voices are themselves")
    func standard() throws {
        let map = try #require(StyleMap.standard)
        #expect(map.styleWidth == 256 && map.directionWidth == 256 && map.sentences.count >= 4)
        #expect(map.ways.count >= 32)
        for (index, way) in map.ways.prefix(8).enumerated() {
            #expect(abs(way.reduce(0) { $0 + $1 * $1 } - 1) < 1e-6)
            for other in map.ways[..<index] { #expect(abs(zip(way, other).reduce(0) { $0 + $1.0 * $1.1 }) < 0.01) }
        }
        #expect((80...350).contains(map.pitch(of: [Float](repeating: 0, count: 256))))
    }

    @Test("damaged maps are none")
    func damaged() {
        #expect(StyleMap(bytes: []) == nil)
        #expect(StyleMap(bytes: [UInt8](repeating: 0, count: 100)) == nil)
        #expect(StyleMap(bytes: [UInt8](repeating: 255, count: 10_000)) == nil)
        var bytes = [UInt8](Data(base64Encoded: StyleMap.standardBase64) ?? Data())
        bytes.removeLast()
        #expect(StyleMap(bytes: bytes) == nil)
        bytes += [0, 0]
        #expect(StyleMap(bytes: bytes) == nil)
    }

    @Test("climbs towards a voice as far as it knows, and no farther than length allows")
    func climbing() {
        let map = StyleMap.scripted
        let target = ScriptedEncoder.direction((0..<12).map { $0 == 2 ? 1.5 : 0 })
        let start = [Float](repeating: 0, count: 12)
        let near = map.nearestStyle(to: target, pitch: nil, from: start)
        #expect(map.likeness(of: near, to: target) > 0.99 && map.likeness(of: start, to: target) < 0.9)
        let short = map.nearestStyle(to: target, pitch: nil, from: start, lengthCost: 0.1)
        #expect(short[2] < near[2] && short[2] > 0)
    }
}
