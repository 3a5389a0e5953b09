import Foundation
import SottoDocument
import SottoFetching
import SottoObservability
import SottoPages

enum PageFormat: String, CaseIterable { case text, markdown, json }

extension Command {
    private static let pageSpec = ArgumentSpec(
        """
        usage: sotto page FILE|URL|- [--format text|markdown|json]

          FILE   HTML, Markdown, text or PDF; "-" reads standard input
          URL    http or https; entered into the network ledger ("sotto ledger")

          --fresh   asks the web even when a stored copy is still good
        """,
        ["format": .value("text, markdown or json"), "fresh": .flag])

    static let page = Command(
        name: "page", summary: "show what is read of a document", spec: pageSpec,
        place: { $0.positional.contains(where: isWebAddress) ? .owner : .here },
        run: { arguments, context in
            let format = try arguments.choice("format", default: PageFormat.text, usage: pageSpec.usage)
            guard let file = arguments.positional.first, arguments.positional.count == 1 else {
                throw UsageError("one file is needed", usage: pageSpec.usage)
            }
            let bytes: [UInt8]
            var charset: String?
            var response: FetchResponse?
            if isWebAddress(file) {
                let page = try await fetched(file, arguments, context)
                (bytes, charset, response) = (page.body, page.charset, page)
                context.console.show(Progress(phase: "Reading"))
            } else if file == "-" {
                bytes = try await context.standardInputBytes(limit: 64 << 20)
            } else {
                let path = try context.existing(file)
                guard let data = FileManager.default.contents(atPath: path) else { throw CommandError("\(path) could not be read; is it a folder?") }
                bytes = [UInt8](data)
            }
            let name = response?.finalURL ?? (file == "-" ? "standard input" : URL(fileURLWithPath: file).lastPathComponent)
            // What a server sent may stand in the way of the page; a file is what the user gave.
            let reader = context.engines.reader
            let document =
                response == nil
                ? try await reader.read(bytes, name: name, charset: charset)
                : try await reader.readPage(bytes, address: name, charset: charset)
            switch format {
            case .text: context.console.result(document.plainText)
            case .markdown: context.console.result(document.markdown)
            case .json:
                try context.printJSON(PageReport(document: document, passages: context.engines.cutter.passages(of: document), response: response))
            }
            if document.hiddenCharacters > 0 { context.console.note("\(document.hiddenCharacters) hidden characters were left out") }
            if document.isPartial == true { context.console.note("only the beginning of the page may be here: it speaks of a subscription") }
            if let response, response.isTruncated { context.console.note("the page is longer than what is read of one; its end is missing") }
        })

    private static func isWebAddress(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    private static func fetched(_ url: String, _ arguments: Arguments, _ context: Context) async throws -> FetchResponse {
        var request = FetchRequest(url, purpose: .page)
        request.origin = "sotto page"
        request.languages = context.settings.language.isEmpty ? [] : [context.settings.language]
        request.usesCache = arguments.has("fresh") == false
        context.console.show(Progress(phase: "Fetching", item: url))
        let response = try await context.engines.fetcher().fetch(request)
        try response.requireSuccess()
        return response
    }
}

private struct PageReport: Encodable {
    var schemaVersion = 1
    /// Where it came from, after redirects; absent for files.
    var url: String?
    var isTruncated: Bool?
    var isFromCache: Bool?
    var title: String
    var language: String?
    var byline: String?
    var published: String?
    var address: String?
    var hiddenCharacters: Int
    var blocks: [Block]
    var passages: [Passage]

    init(document: Document, passages: [Passage], response: FetchResponse?) {
        url = response?.finalURL
        isTruncated = response?.isTruncated
        isFromCache = response?.isFromCache
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
