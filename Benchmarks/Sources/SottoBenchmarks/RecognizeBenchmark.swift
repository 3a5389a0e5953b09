import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMachineLoad
import SottoMediaFiles
import SottoMoonshineRecognizer
import SottoSileroVoiceActivity
import SottoSpeechEngines
import SottoStreams

/// Text and time of recordings: one path a line on standard input, one line of JSON each.
///
/// Decoding the file is not part of the time; voice activity is.
struct RecognizeBenchmark {
    private var models = ""
    private var root = ""
    private var threads = 1

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch name {
            case "--models": models = value
            case "--root": root = value
            case "--threads": threads = Int(value) ?? threads
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let budget = ComputeBudget(threads: threads, load: LinuxMachineLoad())
        let voiceActivity = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget))
        let recognizer = try MoonshineRecognizer(
            modelFolder: models + "/moonshine-tiny-en", voiceActivity: voiceActivity, budget: budget, configuration: .init(threads: threads))
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        while let path = readLine() {
            var line: [String: Any] = ["name": "recognize", "path": path, "threads": threads]
            do {
                let audio = try await decoder.read(root.isEmpty ? path : root + "/" + path)
                let clock = ContinuousClock()
                let start = clock.now
                let finals = try await recognizer.transcribe(AudioStream(audio)).finals()
                let seconds = (clock.now - start) / .seconds(1)
                line["text"] = finals.map(\.text).joined(separator: " ")
                line["finals"] = finals.map { [$0.text, String($0.start), String($0.end), String($0.meanLogProbability)] }
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
