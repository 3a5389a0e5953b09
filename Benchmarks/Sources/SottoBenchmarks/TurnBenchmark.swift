import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMachineLoad
import SottoMediaFiles
import SottoSileroVoiceActivity
import SottoSmartTurn
import SottoSpeechEngines

/// What the end-of-turn network says at pauses of known length.
///
/// A line of standard input: a path, a tab, and the second at which the recording is cut (empty: its end). Speech up to there is followed by
/// silence as quiet as the recording's own quietest tenth of a second; the answer is one line of JSON with the probability of a complete turn
/// after each of the pauses, counted from the end of the last frame that voice activity takes for speech, and what a look costs.
struct TurnBenchmark {
    private var models = ""
    private var pauses: [Int] = [100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 1000, 1200, 1500, 2000]

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch name {
            case "--models": models = value
            case "--pauses": pauses = value.split(separator: ",").compactMap { Int($0) }
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let budget = ComputeBudget(threads: 1, load: LinuxMachineLoad())
        let voiceActivity = try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget)
        let detector = try SmartTurn(modelPath: models + "/smart-turn-v3.2/smart-turn-v3.2-cpu.onnx", budget: budget)
        let decoder = MediaDecoder(sampleRate: detector.sampleRate)
        while let line = readLine() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            var result: [String: Any] = ["path": fields[0]]
            do {
                let audio = try await decoder.read(fields[0])
                let cut = fields.count > 1 ? Double(fields[1]) : nil
                let samples = Array(audio.samples.prefix(cut.map { Int($0 * Double(detector.sampleRate)) } ?? audio.samples.count))
                let silence = Self.silence(like: audio.samples, seconds: 3, rate: detector.sampleRate)
                // Where speech ends is what a listener knows: the last frame above the detector's lower threshold.
                let probabilities = try await voiceActivity.probabilities(AudioBuffer(samples: samples + silence, sampleRate: detector.sampleRate))
                let threshold = SpeechSegmenter.Configuration().offset
                let last = (probabilities.lastIndex { $0 >= threshold } ?? 0) + 1
                let end = last * voiceActivity.frameLength
                var values: [String: Double] = [:]
                var cost = Duration.zero
                for pause in pauses {
                    let until = end + pause * detector.sampleRate / 1000
                    let begin = ContinuousClock.now
                    values[String(pause)] = Double(try await detector.completion(of: Array((samples + silence).prefix(until).suffix(detector.windowLength))))
                    cost += ContinuousClock.now - begin
                }
                result["probability"] = values
                result["speechEnd"] = Double(end) / Double(detector.sampleRate)
                result["secondsPerLook"] = cost / .seconds(1) / Double(max(1, pauses.count))
            } catch {
                result["error"] = "\(error)"
            }
            FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: result, options: [.sortedKeys, .withoutEscapingSlashes]) + Data("\n".utf8))
        }
    }

    /// Silence made of the recording's own quietest tenth of a second, forwards and backwards in turn so that nothing clicks.
    static func silence(like samples: [Float], seconds: Double, rate: Int) -> [Float] {
        let width = rate / 10
        let count = Int(seconds * Double(rate))
        guard samples.count > width else { return [Float](repeating: 0, count: count) }
        let starts = stride(from: 0, to: samples.count - width, by: width / 2)
        let quietest = starts.min { power(samples[$0..<($0 + width)]) < power(samples[$1..<($1 + width)]) } ?? 0
        let part = Array(samples[quietest..<(quietest + width)])
        var result: [Float] = []
        while result.count < count { result += result.count / width % 2 == 0 ? part : part.reversed() }
        return result
    }

    private static func power(_ samples: ArraySlice<Float>) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
}
