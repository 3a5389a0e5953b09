import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMachineLoad
import SottoMediaFiles
import SottoMoonshineRecognizer
import SottoSileroVoiceActivity
import SottoSpeechEngines
import SottoStreams
import SottoWhisperRecognizer

/// Text and time of recordings: one path a line on standard input, one line of JSON each.
///
/// Decoding the file is not part of the time; voice activity is.
struct RecognizeBenchmark {
    private var models = ""
    private var root = ""
    private var threads = 1
    /// Whether voice activity sees quiet recordings raised.
    private var isRaised = true
    private var engine = "moonshine"
    private var language = SpokenLanguage.fixed("en")
    private var hasGate = true

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch name {
            case "--models": models = value
            case "--root": root = value
            case "--raised": isRaised = value != "no"
            case "--threads": threads = Int(value) ?? threads
            case "--engine": engine = value
            // Without it, everything counts as speech: a short file is one stretch.
            case "--gate": hasGate = value != "no"
            case "--language": language = value == "auto" ? .detected(among: []) : .fixed(value)
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let budget = ComputeBudget(threads: threads, load: LinuxMachineLoad())
        let silero = try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget)
        let voiceActivity: any VoiceActivityDetector = isRaised ? LeveledVoiceActivity(silero) : silero
        let all = SpeechSegmenter.Configuration(onset: 0, offset: 0, certainty: 0, minimumSpeech: 1, minimumRise: -.infinity)
        var whisper = WhisperRecognizer.Configuration(threads: threads)
        if hasGate == false { whisper.segmenter = all }
        let recognizer: any SpeechRecognizer =
            engine == "whisper"
            ? try WhisperRecognizer(
                modelPath: models + "/whisper-base/ggml-base.bin", voiceActivity: voiceActivity, budget: budget,
                configuration: whisper)
            : try MoonshineRecognizer(
                modelFolder: models + "/moonshine-tiny-en", voiceActivity: voiceActivity, budget: budget,
                configuration: .init(threads: threads, segmenter: hasGate ? .init() : all))
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        while let path = readLine() {
            var line: [String: Any] = ["name": "recognize", "path": path, "threads": threads]
            do {
                let audio = try await decoder.read(root.isEmpty ? path : root + "/" + path)
                let clock = ContinuousClock()
                let start = clock.now
                let finals = try await recognizer.transcribe(AudioStream(audio), options: .init(language: language)).finals()
                let seconds = (clock.now - start) / .seconds(1)
                line["text"] = finals.map(\.text).joined(separator: " ")
                line["finals"] = finals.map { [$0.text, String($0.start), String($0.end), String($0.meanLogProbability)] }
                line["languages"] = finals.map { $0.language ?? "en" }
                line["audioSeconds"] = audio.seconds
                line["seconds"] = seconds
                line["realTimeFactor"] = audio.seconds > 0 ? seconds / audio.seconds : 0
            } catch {
                line["error"] = "\(error)"
            }
            let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes])
            FileHandle.standardOutput.write(data + Data("\n".utf8))
        }
    }
}
