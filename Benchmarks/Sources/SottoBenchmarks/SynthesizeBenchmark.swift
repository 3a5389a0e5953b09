import Foundation
import SottoAudio
import SottoComputeBudget
import SottoKokoroSynthesizer
import SottoSpeechEngines
import SottoStreams
import SottoVoices

/// Speaks each line of standard input and answers with one line of JSON, so that a script can take turns with another engine.
struct SynthesizeBenchmark {
    private var model = ""
    private var threads = 1
    private var voice: String?
    private var output: String?
    private var isAwaited = true

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count >= 2 {
            let (name, value) = (arguments.removeFirst(), arguments.removeFirst())
            switch name {
            case "--model": model = value
            case "--threads": threads = Int(value) ?? threads
            case "--voice": voice = value
            case "--output": output = value
            case "--awaited": isAwaited = value != "no"
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        let synthesizer = try KokoroSynthesizer(
            modelFolder: model, budget: ComputeBudget(threads: threads), configuration: .init(threads: threads))
        try await synthesizer.load()
        let pipeline = SpeechPipeline(synthesizer: synthesizer)
        var number = 0
        while let text = readLine() {
            number += 1
            let report: SpeechReport
            // Where each piece ends, in seconds.
            var ends: [Double] = []
            if let output {
                var writer = try WAVWriter(path: "\(output)/\(number).wav", sampleRate: pipeline.sampleRate)
                // A line is a text; paragraphs are parted by a pilcrow.
                let whole = text.replacingOccurrences(of: "¶", with: "\n\n")
                report = try await pipeline.deliver(pipeline.speech(of: whole, voice: voice, isAwaited: false)) { chunk in
                    try writer.append(chunk.audio)
                    ends.append((ends.last ?? 0) + chunk.audio.seconds)
                }
                try writer.finish()
            } else {
                report = try await pipeline.deliver(pipeline.speech(of: text, voice: voice, isAwaited: isAwaited)) { _ in }
            }
            let line: [String: Any] = [
                "name": "synthesize", "ends": ends, "threads": threads, "characters": text.count, "chunks": report.chunks, "speechSeconds": report.seconds,
                "elapsedSeconds": report.elapsed / .seconds(1), "firstAudioSeconds": (report.timeToFirstAudio ?? .zero) / .seconds(1),
                "realTimeFactor": report.realTimeFactor,
            ]
            FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: line, options: .sortedKeys) + Data([0x0A]))
        }
    }
}
