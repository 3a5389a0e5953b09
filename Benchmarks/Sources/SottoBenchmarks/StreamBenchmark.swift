import Foundation
import SottoAudio
import SottoComputeBudget
import SottoMachineLoad
import SottoMediaFiles
import SottoMoonshineRecognizer
import SottoSileroVoiceActivity
import SottoSmartTurn
import SottoSpeechEngines

/// Streaming recognition of recordings that are fed in frames of 20 ms: one path a line on standard input, one line of JSON each.
///
/// The clock is simulated: a frame arrives when its last sample would have been spoken, work on it begins once the work before is done,
/// and takes the processor time (`--clock cpu`, for one thread) or the time (`--clock wall`) that it really took. So a minute of speech
/// need not last a minute, and the figures are those of a microphone.
struct StreamBenchmark {
    private var models = ""
    private var root = ""
    private var threads = 1
    private var usesProcessorTime = true
    private var segmenter = SpeechSegmenter.Configuration()
    private var commit = CommitPolicy.Configuration()
    private var step = StepPolicy.Configuration()
    private var partials = true
    private var repeats = 1
    /// Seconds of silence after each recording.
    private var tail = 0.0
    /// Whether Smart Turn ends a stretch of speech.
    private var usesTurns = false
    private var turns = TurnPolicy.Configuration(longest: nil)

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            func number(_ fallback: Int) -> Int { Int(value) ?? fallback }
            switch name {
            case "--models": models = value
            case "--root": root = value
            case "--threads": threads = number(threads)
            case "--clock": usesProcessorTime = value != "wall"
            case "--partials": partials = value != "no"
            case "--tail": tail = Double(value) ?? tail
            case "--turns": usesTurns = value == "yes"
            case "--first-look": turns.firstLook = .milliseconds(number(300))
            case "--threshold": turns.threshold = Float(value) ?? turns.threshold
            case "--repeat": repeats = number(repeats)
            case "--stability": commit.stability = Double(value) ?? commit.stability
            case "--open-words": commit.openWords = number(commit.openWords)
            case "--sure": commit.sureProbability = Float(value) ?? commit.sureProbability
            case "--unsure-stability": commit.unsureStability = Double(value) ?? commit.unsureStability
            case "--step": step.step = number(step.step)
            case "--share": step.share = Double(value) ?? step.share
            case "--peek": step.pause = number(step.pause)
            case "--ready": step.finalPause = number(step.finalPause)
            case "--pause": segmenter.minimumPause = number(segmenter.minimumPause)
            case "--before": segmenter.paddingBefore = number(segmenter.paddingBefore)
            case "--after": segmenter.paddingAfter = number(segmenter.paddingAfter)
            case "--longest": segmenter.maximumLength = number(segmenter.maximumLength)
            case "--relaxed": segmenter.relaxedFrom = number(segmenter.relaxedFrom)
            case "--shortest-pause": segmenter.shortestPause = number(segmenter.shortestPause)
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let budget = ComputeBudget(threads: threads, load: LinuxMachineLoad())
        let voiceActivity = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: models + "/silero-vad/silero_vad.onnx", budget: budget))
        let now: @Sendable () -> Duration = usesProcessorTime ? Self.processorTime : Self.wallTime
        let recognizer = try MoonshineRecognizer(
            modelFolder: models + "/moonshine-tiny-en", voiceActivity: voiceActivity, budget: budget,
            configuration: .init(threads: threads, segmenter: segmenter, commit: commit, step: step, now: now))
        let judge = usesTurns ? try SmartTurn(modelPath: models + "/smart-turn-v3.2/smart-turn-v3.2-cpu.onnx", budget: budget) : nil
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        try await recognizer.prepare()
        while let path = readLine() {
            var line: [String: Any] = ["name": "stream", "path": path, "threads": threads]
            do {
                let audio = try await decoder.read(root.isEmpty ? path : root + "/" + path)
                let samples = audio.samples + (tail > 0 ? TurnBenchmark.silence(like: audio.samples, seconds: tail, rate: recognizer.sampleRate) : [])
                var turn = TurnPolicy(configuration: turns)
                var (turnsEnded, looks) = (0, 0)
                let session = try await recognizer.makeSession(.init(partials: partials))
                var events: [[String: Any]] = []
                var steps: [Double] = []
                var (clock, busy, spoken) = (0.0, 0.0, 0.0)
                func record(_ updates: [TranscriptUpdate], cost: Duration) {
                    let seconds = cost / .seconds(1)
                    clock = max(clock, spoken) + seconds
                    busy += seconds
                    if seconds > 0.005 { steps.append(seconds) }
                    for update in updates {
                        switch update {
                        case .partial(let committed, let tail):
                            events.append(["time": clock, "audio": spoken, "committed": committed.text, "tail": tail.text, "start": committed.start])
                        case .final(let text):
                            events.append(["time": clock, "audio": spoken, "final": text.text, "start": text.start, "end": text.end])
                        }
                    }
                }
                for _ in 0..<repeats {
                    for start in stride(from: 0, to: samples.count, by: 320) {
                        let frame = Array(samples[start..<min(start + 320, samples.count)])
                        spoken += Double(frame.count) / 16_000
                        let begin = now()
                        let updates = try await session.accept(frame)
                        record(updates, cost: now() - begin)
                        guard let judge else { continue }
                        let pause = await session.lastSpeech.map { Duration.seconds(spoken - $0) }
                        if turn.observe(pause: pause) == .ask, let pause {
                            let begin = now()
                            let newest = Array(samples[max(0, start + frame.count - judge.windowLength)..<(start + frame.count)])
                            turn.answer(try await judge.completion(of: newest), at: pause)
                            looks += 1
                            record([], cost: now() - begin)
                        }
                        if case .ended = turn.observe(pause: pause) {
                            turnsEnded += 1
                            let begin = now()
                            record(try await session.endStretch(), cost: now() - begin)
                        }
                    }
                }
                let begin = now()
                let updates = try await session.finish()
                record(updates, cost: now() - begin)
                line["events"] = events
                line["text"] = events.compactMap { $0["final"] as? String }.joined(separator: " ")
                line["turns"] = turnsEnded
                line["looks"] = looks
                line["audioSeconds"] = spoken
                line["busySeconds"] = busy
                line["steps"] = steps
                line["unrecognizedSeconds"] = await session.coverage.unrecognizedSeconds
                line["residentKilobytes"] = Self.residentKilobytes()
            } catch {
                line["error"] = "\(error)"
            }
            let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes])
            FileHandle.standardOutput.write(data + Data("\n".utf8))
        }
    }

    /// Of all threads of this process.
    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func wallTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func residentKilobytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first.map(String.init)?.trimmingCharacters(in: .whitespaces) ?? "") } ?? 0
    }
}
