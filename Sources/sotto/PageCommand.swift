import Foundation
import SottoDocument
import SottoDocumentReading

enum PageFormat: String, CaseIterable { case text, markdown, json }

extension Command {
    private static let pageSpec = ArgumentSpec(
        """
        usage: sotto page FILE|- [--format text|markdown|json]

          FILE   HTML, Markdown, text or PDF; "-" reads standard input
        """,
        ["format": .value("text, markdown or json")])

    static let page = Command(
        name: "page", summary: "show what is read of a document", spec: pageSpec,
        run: { arguments, context in
            let format = try arguments.choice("format", default: PageFormat.text, usage: pageSpec.usage)
            guard let file = arguments.positional.first, arguments.positional.count == 1 else {
                throw UsageError("one file is needed", usage: pageSpec.usage)
            }
            let bytes: [UInt8]
            if file == "-" {
                bytes = try await context.standardInputBytes(limit: 64 << 20)
            } else {
                let path = try context.existing(file)
                guard let data = FileManager.default.contents(atPath: path) else { throw CommandError("\(path) could not be read; is it a folder?") }
                bytes = [UInt8](data)
            }
            let document = try await context.engines.reader.read(bytes, name: file == "-" ? "standard input" : URL(fileURLWithPath: file).lastPathComponent)
            switch format {
            case .text: context.console.result(document.plainText)
            case .markdown: context.console.result(document.markdown)
            case .json: try context.printJSON(PageReport(document: document, passages: context.engines.cutter.passages(of: document)))
            }
            if document.hiddenCharacters > 0 { context.console.note("\(document.hiddenCharacters) hidden characters were left out") }
        })
}

private struct PageReport: Encodable {
    var schemaVersion = 1
    var title: String
    var language: String?
    var byline: String?
    var published: String?
    var address: String?
    var hiddenCharacters: Int
    var blocks: [Block]
    var passages: [Passage]

    init(document: Document, passages: [Passage]) {
        title = document.title
        language = document.language
        byline = document.byline
        published = document.published
        address = document.address
        hiddenCharacters = document.hiddenCharacters
        blocks = document.blocks
        self.passages = passages
    }
}
