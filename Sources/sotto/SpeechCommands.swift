import Foundation
import SottoSpeechEngines
import SottoText

extension Command {
    private static let saySpec = ArgumentSpec(
        """
        usage: sotto say "TEXT"|- --output FILE.wav [--voice NAME] [--speed X]
               sotto say --list

          -              read the text from standard input
          --output FILE  where the WAV goes
          --voice NAME   one of those that --list prints
          --speed X      0.5 to 2, 1 is the voice's own pace
        """,
        ["output": .value("a file to write"), "voice": .value("a voice's name"), "speed": .value("a factor"), "list": .flag])

    static let say = Command(
        name: "say", summary: "read a text aloud into a WAV file", spec: saySpec,
        run: { arguments, context in
            let usage = saySpec.usage
            if arguments.has("list") {
                let voices = try await context.engines.synthesizer().voices
                context.console.result(voices.map { "\($0.name)\t\($0.languages.joined(separator: ","))\t\($0.note)" }.joined(separator: "\n"))
                return
            }
            guard let file = arguments.value("output") else { throw UsageError("--output FILE is needed", usage: usage) }
            let output = try context.outputFile(file)
            var text = arguments.positional.joined(separator: " ")
            if text == "-" { text = try await context.standardInput(limit: 1_000_000) }
            guard text.contains(where: { $0.isLetter || $0.isNumber }) else { throw UsageError("there is nothing to say", usage: usage) }
            let speed = try arguments.value("speed").map { word in
                guard let value = Double(word), (0.5...2).contains(value) else { throw UsageError("--speed is a number from 0.5 to 2, not \"\(word)\"", usage: usage) }
                return value
            }
            let report = try await context.speak(text, to: output, voice: arguments.value("voice"), speed: speed)
            context.console.note("\(file): \(report)")
        })

    private static let transcribeSpec = ArgumentSpec(
        """
        usage: sotto transcribe FILE… [--format text|json|srt|vtt]

          FILE           a recording in any common format; "-" reads one from standard input
          --format F     text (default), json with times and token probabilities, srt or vtt subtitles
        """,
        ["format": .value("text, json, srt or vtt")])

    static let transcribe = Command(
        name: "transcribe", summary: "turn recordings into text or subtitles", spec: transcribeSpec,
        run: { arguments, context in
            let usage = transcribeSpec.usage
            let format = try arguments.choice("format", default: TranscriptFormat.text, usage: usage)
            guard arguments.positional.isEmpty == false else { throw UsageError("a file is needed", usage: usage) }
            var failures = 0
            for file in arguments.positional {
                do {
                    let finals = try await context.hear(file)
                    if finals.isEmpty { context.console.note("\(file): no speech") }
                    if let text = try format.render(finals, file: file) { context.console.result(text) }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    guard arguments.positional.count > 1 else { throw error }
                    failures += 1
                    context.console.error("\(file): \(error)")
                }
            }
            if failures > 0 { throw CommandError("\(failures) of \(arguments.positional.count) files could not be transcribed") }
        })
}
