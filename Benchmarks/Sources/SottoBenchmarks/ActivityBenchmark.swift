import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMediaFiles
import SottoSileroVoiceActivity
import SottoSpeechEngines

/// Voice activity of recordings: one path a line on standard input; one line of JSON each with the probability of each frame, the stretches that
/// the segmenter makes of them (in seconds, without padding), and what it cost.
struct ActivityBenchmark {
    private var models = ""

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch name {
            case "--models": models = value
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let detector = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: ComputeBudget(threads: 1)))
        let decoder = MediaDecoder(sampleRate: detector.sampleRate)
        let frame = Double(detector.frameLength) / Double(detector.sampleRate)
        while let path = readLine() {
            var line: [String: Any] = ["path": path, "frameSeconds": frame]
            do {
                let audio = try await decoder.read(path)
                let begin = ContinuousClock.now
                let probabilities = try await detector.probabilities(audio)
                line["seconds"] = (ContinuousClock.now - begin) / .seconds(1)
                line["audioSeconds"] = audio.seconds
                line["probabilities"] = probabilities.map { (Double($0) * 1e4).rounded() / 1e4 }
                var segmenter = SpeechSegmenter(configuration: .init(paddingBefore: 0, paddingAfter: 0))
                var stretches: [Range<Int>] = []
                for (index, probability) in probabilities.enumerated() {
                    let start = index * detector.frameLength
                    let level = NoiseFloor.level(of: audio.samples[start..<min(audio.samples.count, start + detector.frameLength)])
                    if let stretch = segmenter.observe(probability, level: level) { stretches.append(stretch) }
                }
                if let stretch = segmenter.finish() { stretches.append(stretch) }
                line["stretches"] = stretches.map { [Double($0.lowerBound) * frame, Double($0.upperBound) * frame] }
            } catch {
                line["error"] = "\(error)"
            }
            FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes]) + Data("\n".utf8))
        }
    }
}
