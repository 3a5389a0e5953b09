import Foundation
import SottoDocument
import SottoFetching
import SottoObservability
import SottoSpeechEngines
import SottoVoices

extension Command {
    private static let readSpec = ArgumentSpec(
        """
        usage: sotto read FILE|URL|- [--output FILE] [--play] [--voice NAME] [--speed X]

          FILE           HTML, Markdown, text or PDF; "-" reads standard input
          URL            http or https; entered into the network ledger ("sotto ledger")
          --output FILE  .wav, .opus, .ogg (Opus) or .flac
          --play         through the sound server
          --voice NAME   one of those that sotto say --list prints
          --speed X      0.5 to 2, 1 is the voice's own pace

        What is read is what "sotto page" shows: the article without the page around it.
        """,
        SpeechOutput.options)

    static let read = Command(
        name: "read", summary: "read an article aloud", spec: readSpec,
        place: { $0.positional.contains(where: isWebAddress) ? .owner : .here },
        run: { arguments, context in
            let usage = readSpec.usage
            guard let file = arguments.positional.first, arguments.positional.count == 1 else {
                throw UsageError("one file or address is needed", usage: usage)
            }
            let output = try SpeechOutput(arguments, context, usage: usage)
            let speed = try SpeechOutput.speed(arguments, usage: usage) ?? context.settings.speed
            let (document, response) = try await context.document(file, usesCache: true, origin: "sotto read")
            let text = readingText(of: document)
            guard text.contains(where: { $0.isLetter || $0.isNumber }) else { throw CommandError("\(file) holds nothing that can be read aloud") }
            try context.requireSpeakable(document.plainText)
            if let response, response.isTruncated { context.console.note("the page is longer than what is read of one; its end is missing") }
            let pipeline = try await context.engines.voice()
            context.console.show(Progress(phase: "Speaking", item: document.title))
            let report = try await output.deliver(
                pipeline.speech(of: text, voice: arguments.value("voice"), speed: speed, isAwaited: output.isPlayed), from: pipeline, context: context
            )
            context.console.note((output.file.map { $0.name + ": " } ?? "") + report.line)
        })

    /// The document as Markdown, its title first unless the text begins with it.
    private static func readingText(of document: Document) -> String {
        let markdown = document.markdown
        let title = document.title.trimmingCharacters(in: .whitespacesAndNewlines)
        guard title.isEmpty == false, markdown.prefix(title.count + 40).contains(title) == false else { return markdown }
        return "# \(title)\n\n\(markdown)"
    }
}
