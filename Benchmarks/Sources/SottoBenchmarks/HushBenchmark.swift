import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMachineLoad
import SottoMoonshineRecognizer
import SottoSileroVoiceActivity
import SottoSpeechEngines
import SottoWhisperRecognizer

/// Recognition of generated clips in which nobody speaks: how many give text. One line of JSON for each kind and one for all.
///
/// The clips are made from a seed, so a figure can be repeated: digital silence, hum, clicks, keys, white, pink and brown noise, noise in
/// the rhythm of syllables, breath, a fan, dropouts, tones, chords with melodies, and rising sirens, at levels from −60 to −6 dBFS.
struct HushBenchmark {
    private var models = ""
    private var clips = 3000
    private var seed: UInt64 = 1
    private var threads = 1
    private var hasGate = true
    private var kinds = NoiseMaker.Kind.allCases
    private var engine = "moonshine"

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch name {
            case "--models": models = value
            case "--clips": clips = Int(value) ?? clips
            case "--seed": seed = UInt64(value) ?? seed
            case "--threads": threads = Int(value) ?? threads
            case "--kinds": kinds = value.split(separator: ",").compactMap { NoiseMaker.Kind(rawValue: String($0)) }
            case "--engine": engine = value
            case "--gate": hasGate = value != "no"
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let budget = ComputeBudget(threads: threads, load: LinuxMachineLoad())
        let voiceActivity = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget))
        // Everything counts as speech, and every text is believed.
        let open = SpeechSegmenter.Configuration(onset: 0, offset: 0, certainty: 0, minimumSpeech: 1, minimumRise: -.infinity)
        let recognizer: any SpeechRecognizer
        if engine == "whisper" {
            var configuration = WhisperRecognizer.Configuration(threads: threads)
            if hasGate == false {
                configuration.segmenter = open
                configuration.minimumMeanLogProbability = -.infinity
                configuration.noSpeechProbability = 1
            }
            recognizer = try WhisperRecognizer(
                modelPath: models + "/whisper-base/ggml-base.bin", voiceActivity: voiceActivity, budget: budget, configuration: configuration)
        } else {
            var configuration = MoonshineRecognizer.Configuration(threads: threads)
            if hasGate == false {
                configuration.segmenter = open
                configuration.minimumMeanLogProbability = -.infinity
                configuration.loneWordCertainty = 0
            }
            recognizer = try MoonshineRecognizer(
                modelFolder: models + "/moonshine-tiny-en", voiceActivity: voiceActivity, budget: budget, configuration: configuration)
        }
        let language: SpokenLanguage = engine == "whisper" ? .detected(among: []) : .fixed("en")
        var counts: [String: (clips: Int, texts: Int, seconds: Double)] = [:]
        var examples: [String] = []
        for number in 0..<clips {
            guard kinds.contains(NoiseMaker.Kind.allCases[number % NoiseMaker.Kind.allCases.count]) else { continue }
            var noise = NoiseMaker(seed: seed &* 1_000_003 &+ UInt64(number))
            let kind = NoiseMaker.Kind.allCases[number % NoiseMaker.Kind.allCases.count]
            let samples = noise.clip(kind)
            let session = try await recognizer.makeSession(.init(language: language))
            var finals = try await session.accept(samples)
            finals += try await session.finish()
            var count = counts[kind.rawValue] ?? (0, 0, 0)
            count = (count.clips + 1, count.texts + (finals.isEmpty ? 0 : 1), count.seconds + Double(samples.count) / 16_000)
            counts[kind.rawValue] = count
            for case .final(let text) in finals where examples.count < 20 { examples.append("\(kind.rawValue) \(number): \(text.text) (\(text.end - text.start) s, mean log-probability \(text.meanLogProbability))") }
        }
        for (kind, count) in counts.sorted(by: { $0.key < $1.key }) { try write(kind, count) }
        let all = counts.values.reduce((clips: 0, texts: 0, seconds: 0.0)) { ($0.clips + $1.clips, $0.texts + $1.texts, $0.seconds + $1.seconds) }
        try write("all", all, examples: examples)
    }

    private func write(_ kind: String, _ count: (clips: Int, texts: Int, seconds: Double), examples: [String] = []) throws {
        var line: [String: Any] = ["name": "hush", "kind": kind, "clips": count.clips, "withText": count.texts, "hours": (count.seconds / 36).rounded() / 100, "gate": hasGate, "seed": seed, "engine": engine]
        if examples.isEmpty == false { line["examples"] = examples }
        FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes]) + Data("\n".utf8))
    }
}

/// Sounds that are no speech, from a seed.
struct NoiseMaker {
    enum Kind: String, CaseIterable {
        case silence, hum, clicks, keys, white, pink, brown, syllables, breath, fan, dropouts, tones, music, siren
    }

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    private mutating func uniform(_ low: Double = -1, _ high: Double = 1) -> Double { low + (high - low) * Double(bits() >> 11) / 9_007_199_254_740_992 }

    /// A clip of 4 to 12 s at 16 kHz.
    mutating func clip(_ kind: Kind) -> [Float] {
        let count = Int(uniform(4, 12) * 16_000)
        var samples = [Double](repeating: 0, count: count)
        switch kind {
        case .silence: return [Float](repeating: 0, count: count)
        case .hum:
            let base = uniform(0, 1) < 0.5 ? 50.0 : 60.0
            let weights = (1...8).map { _ in uniform(0, 1) }
            for index in samples.indices { samples[index] = weights.enumerated().reduce(0) { $0 + $1.element * sin(Double(index) * 2 * .pi * base * Double($1.offset + 1) / 16_000) } }
        case .clicks, .keys:
            var next = 0
            while next < count {
                let length = kind == .clicks ? 20 : Int(uniform(300, 1500))
                for index in next..<min(count, next + length) { samples[index] += uniform() * exp(-Double(index - next) / Double(length) * 5) }
                next += Int(uniform(kind == .clicks ? 2000 : 1200, kind == .clicks ? 20_000 : 6000))
            }
        case .white: for index in samples.indices { samples[index] = uniform() }
        case .pink, .brown, .fan, .breath, .dropouts, .syllables:
            var (slow, slower, value) = (0.0, 0.0, 0.0)
            let rate = uniform(2, 8)
            for index in samples.indices {
                let white = uniform()
                slow = 0.95 * slow + 0.05 * white
                slower = 0.998 * slower + 0.002 * white
                value = kind == .brown ? slower * 8 : kind == .pink ? white * 0.3 + slow * 3 + slower * 5 : slow * 3 + white * 0.2
                let time = Double(index) / 16_000
                switch kind {
                case .fan: value *= 1 + 0.2 * sin(time * 2 * .pi * rate * 4)
                case .breath: value *= max(0, sin(time * 2 * .pi * 0.3))
                case .dropouts: value *= (Int(time * rate) % 3 == 0) ? 0 : 1
                case .syllables: value *= pow(max(0, sin(time * .pi * rate)), 2)
                default: break
                }
                samples[index] = value
            }
        case .tones:
            let frequency = uniform(80, 2000)
            for index in samples.indices { samples[index] = sin(Double(index) * 2 * .pi * frequency / 16_000) }
        case .music:
            let roots = [0, 5, 7, 9]
            let beat = Int(uniform(4000, 9000))
            let base = uniform(110, 330)
            var melody = 0
            for index in samples.indices {
                if index % beat == 0 { melody = Int(uniform(0, 12)) }
                let chord = roots[(index / (beat * 4)) % 4]
                let envelope = exp(-Double(index % beat) / Double(beat) * 2)
                for (note, weight) in [(chord, 0.5), (chord + 4, 0.4), (chord + 7, 0.4), (12 + melody, 0.8)] {
                    let frequency = base * pow(2, Double(note) / 12)
                    for harmonic in 1...4 { samples[index] += weight / Double(harmonic * harmonic) * envelope * sin(Double(index) * 2 * .pi * frequency * Double(harmonic) / 16_000) }
                }
            }
        case .siren:
            var phase = 0.0
            let speed = uniform(0.2, 2)
            for index in samples.indices {
                phase += 2 * .pi * (700 + 400 * sin(Double(index) / 16_000 * 2 * .pi * speed)) / 16_000
                samples[index] = sin(phase)
            }
        }
        let peak = samples.reduce(0) { max($0, abs($1)) }
        let gain = pow(10, uniform(-60, -6) / 20) / max(peak, 1e-9)
        return samples.map { Float($0 * gain) }
    }
}
