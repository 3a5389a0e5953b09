import Foundation
import Glibc
import SottoAudio
import SottoComputeBudget
import SottoKokoroSynthesizer
import SottoMachineLoad
import SottoMoonshineRecognizer
import SottoSileroVoiceActivity
import SottoSpeakerEncoder
import SottoSpeechEngines
import SottoStreams
import SottoText
import SottoVoices

/// Fits a voice to one sample and speaks sentences in it, after each of some counts of tries; and once in every stock voice.
struct CloneBenchmark {
    private var models = ""
    private var sample = ""
    private var output = ""
    private var tries = [0]
    private var threads = 2
    private var sentences: [String] = []

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while let name = arguments.first, name.hasPrefix("--"), arguments.count >= 2 {
            let value = arguments[1]
            arguments.removeFirst(2)
            switch name {
            case "--models": models = value
            case "--sample": sample = value
            case "--output": output = value
            case "--threads": threads = Int(value) ?? threads
            case "--tries": tries = value.split(separator: ",").compactMap { Int($0) }
            default: print("unknown option \(name)")
            }
        }
        sentences = arguments
    }

    func run() async throws {
        let budget = ComputeBudget(threads: threads, load: LinuxMachineLoad())
        let synthesizer = try KokoroSynthesizer(modelFolder: models + "/kokoro-82m-int8", budget: budget, configuration: .init(threads: threads))
        let activity = try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget)
        let recognizer = try MoonshineRecognizer(
            modelFolder: models + "/moonshine-tiny-en", voiceActivity: activity, budget: budget, configuration: .init(threads: threads))
        guard let map = StyleMap.standard else { return print("the map of styles is damaged") }
        let fitter = VoiceFitter(synthesizer: synthesizer, encoder: SpeakerEncoder(weights: models + "/ge2e/pretrained.pt"), recognizer: recognizer, map: map)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: sample)))
        let samples = stride(from: 0, to: bytes.count - 3, by: 4).map { at in Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }) }
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        // The stock voices say the same for every speaker.
        for stock in synthesizer.stockStyles {
            try await speak("stock \(stock.name)", stock.style, synthesizer, recognizer, file: "\(output)/../\(stock.name).f32", [:])
        }
        let clock = ContinuousClock()
        let begun = clock.now
        let (cpu, other) = (Self.cpuSeconds(), Duration.zero)
        var progress = try await fitter.begin(AudioBuffer(samples: samples, sampleRate: 16_000), seed: 1)
        var spent = (cpu: 0.0, time: other)
        for count in tries {
            try await fitter.refine(&progress, tries: count) { _ in }
            let style = try await fitter.judged(progress)
            let (seconds, processor) = ((clock.now - begun - spent.time) / .seconds(1), Self.cpuSeconds() - cpu - spent.cpu)
            let measured = clock.now
            let before = Self.cpuSeconds()
            try await speak(
                "\(count) tries", style.values, synthesizer, recognizer, file: "\(output)/\(count).f32",
                ["seconds": seconds, "cpuSeconds": processor, "fitLikeness": style.likeness, "semitones": style.semitones ?? 0])
            // What is spoken to be judged is no part of the fit.
            spent.time += clock.now - measured
            spent.cpu += Self.cpuSeconds() - before
        }
    }

    private func speak(
        _ system: String, _ style: [Float], _ synthesizer: KokoroSynthesizer, _ recognizer: MoonshineRecognizer, file: String, _ extra: [String: Double]
    ) async throws {
        let known = file + ".json"
        if extra.isEmpty, let line = FileManager.default.contents(atPath: known) { return FileHandle.standardOutput.write(line) }
        var speech: [Float] = []
        var errors = WordErrorRate()
        for sentence in sentences {
            let audio = try await synthesizer.speech(of: sentence, style: style).resampled(to: 16_000)
            let heard = try await recognizer.transcribe(AudioStream(audio)).finals().map(\.text).joined(separator: " ")
            errors = errors + WordErrorRate(reference: TranscriptNormalizer.words(sentence), hypothesis: TranscriptNormalizer.words(heard))
            speech += audio.samples
        }
        try Data(speech.flatMap { value in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value.bitPattern >> $0) } }).write(to: URL(filePath: file))
        var line: [String: Any] = ["name": "clone", "system": system, "file": file, "wordErrorRate": errors.rate, "threads": threads]
        line.merge(extra) { $1 }
        let text = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys) + Data([0x0A])
        if extra.isEmpty { try text.write(to: URL(filePath: known)) }
        FileHandle.standardOutput.write(text)
    }

    private static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(0 /* RUSAGE_SELF */, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
