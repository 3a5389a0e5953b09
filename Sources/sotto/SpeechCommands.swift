import Foundation
import SottoSpeechEngines
import SottoText

extension Command {
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
