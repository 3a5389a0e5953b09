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
            let (document, response) = try await context.document(file, usesCache: arguments.has("fresh") == false, origin: "sotto page")
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
}

func isWebAddress(_ word: String) -> Bool {
    let start = word.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
}

extension Context {
    /// What is read of a file, of standard input ("-") or of a page of the web.
    ///
    /// - Parameters:
    ///   - usesCache: Whether a stored copy that is still good will do.
    ///   - origin: What the network ledger says of the request.
    /// - Returns: The document, and for a page of the web what was fetched.
    func document(_ file: String, usesCache: Bool, origin: String) async throws -> (Document, FetchResponse?) {
        if isWebAddress(file) {
            var request = FetchRequest(file, purpose: .page)
            request.origin = origin
            request.languages = settings.language.isEmpty ? [] : [settings.language]
            request.usesCache = usesCache
            console.show(Progress(phase: "Fetching", item: file))
            let response = try await engines.fetcher().fetch(request)
            try response.requireSuccess()
            console.show(Progress(phase: "Reading"))
            // What a server sent may stand in the way of the page; a file is what the user gave.
            return (try await engines.reader.readPage(response.body, address: response.finalURL, charset: response.charset), response)
        }
        if file == "-" {
            return (try await engines.reader.read(try await standardInputBytes(limit: 64 << 20), name: "standard input", charset: nil), nil)
        }
        let path = try existing(file)
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandError("\(path) could not be read; is it a folder?") }
        return (try await engines.reader.read([UInt8](data), name: URL(fileURLWithPath: file).lastPathComponent, charset: nil), nil)
    }
}

private struct PageReport: Encodable {
    var schemaVersion = 1
    /// Where it came from, after redirects; absent for files.
    var url: String?
    var isTruncated: Bool?
    var isFromCache: Bool?
    /// Only the beginning may be there, as behind a paywall; absent when nothing speaks for that.
    var isPartial: Bool?
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
        isPartial = document.isPartial
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
