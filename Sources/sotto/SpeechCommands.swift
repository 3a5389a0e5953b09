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
}
