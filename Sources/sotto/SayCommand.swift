import Foundation
import SottoObservability
import SottoSpeechEngines
import SottoStreams
import SottoVoices

extension Command {
    private static let saySpec = ArgumentSpec(
        """
        usage: sotto say "TEXT"|- [--output FILE] [--play] [--voice NAME] [--speed X]
               sotto say --list

          -              speak standard input while it comes
          --output FILE  .wav, .opus, .ogg (Opus) or .flac
          --play         through the sound server
          --voice NAME   one of those that --list prints
          --speed X      0.5 to 2, 1 is the voice's own pace
        """,
        SpeechOutput.options.merging(["list": .flag]) { $1 })

    static let say = Command(
        name: "say", summary: "read a text aloud", spec: saySpec,
        run: { arguments, context in
            let usage = saySpec.usage
            if arguments.has("list") {
                let voices = try await context.engines.synthesizer().voices
                context.console.result(voices.map { "\($0.name)\t\($0.languages.joined(separator: ","))\t\($0.note)" }.joined(separator: "\n"))
                return
            }
            let output = try SpeechOutput(arguments, context, usage: usage)
            let speed = try SpeechOutput.speed(arguments, usage: usage) ?? context.settings.speed
            let text = arguments.positional.joined(separator: " ")
            let pieces: ProducedSequence<String>
            if text == "-" {
                pieces = context.standardInputText(limit: 16_000_000)
            } else {
                guard text.contains(where: { $0.isLetter || $0.isNumber }) else { throw UsageError("there is nothing to say", usage: usage) }
                try context.requireSpeakable(text)
                pieces = ProducedSequence { emit in try await emit(text) }
            }
            let pipeline = try await context.engines.voice()
            context.console.show(Progress(phase: "Speaking"))
            let report = try await output.deliver(
                pipeline.speech(of: pieces, voice: arguments.value("voice"), speed: speed, isAwaited: output.isPlayed), from: pipeline,
                context: context)
            context.console.note((output.file.map { $0.name + ": " } ?? "") + report.line)
        })
}
