import Foundation
import SottoDocument
import SottoLibrary
import SottoPassageIndex

extension Command {
    private static let librarySpec = ArgumentSpec(
        """
        usage: sotto library add DIR|FILE…      read HTML, Markdown, text and PDF; only what changed is read again
               sotto library list [--json]
               sotto library remove DIR|FILE…
               sotto library search "WORDS" [--limit N] [--language TAG] [--json]
        """,
        ["json": .flag, "limit": .value("a number"), "language": .value("a language tag")])

    static let library = Command(
        name: "library", summary: "add, list, remove and search your own documents", spec: librarySpec,
        place: { ["add", "remove"].contains($0.positional.first) ? .owner : .here },
        run: { arguments, context in
            let usage = librarySpec.usage
            let rest = Array(arguments.positional.dropFirst())
            switch arguments.positional.first {
            case "add":
                guard rest.isEmpty == false else { throw UsageError("a folder or file is needed", usage: usage) }
                for path in rest { try await LibraryUpdate.run(try context.existing(path), context: context, announce: true) }
            case "list": try await list(arguments, context)
            case "remove":
                guard rest.isEmpty == false else { throw UsageError("a folder or file is needed", usage: usage) }
                try await remove(rest, context)
            case "search":
                let words = rest.joined(separator: " ")
                guard words.isEmpty == false else { throw UsageError("words to search for are needed", usage: usage) }
                try await search(words, arguments, context)
            case let other:
                throw UsageError(other.map { "unknown: library \($0)" } ?? "add, list, remove or search?", usage: usage)
            }
        })

    private static func list(_ arguments: Arguments, _ context: Context) async throws {
        let roots = try await context.engines.index(writing: false)?.roots() ?? []
        if arguments.has("json") {
            try context.printJSON(LibraryListing(roots: roots))
        } else if roots.isEmpty {
            context.console.note("The library is empty; add documents with: sotto library add DIR")
        } else {
            context.console.result(roots.map { "\($0.path)\t\($0.documents) documents\t\($0.passages) passages" }.joined(separator: "\n"))
        }
    }

    private static func remove(_ paths: [String], _ context: Context) async throws {
        guard let index = try await context.engines.index(writing: true) else { throw CommandError("the library is empty") }
        let known = try await index.roots().map(\.path)
        for given in paths {
            let path = context.absolute(given)
            guard known.contains(path) else {
                let near = Spelling.nearest(to: path, among: known).map { "; did you mean \($0)?" } ?? ""
                throw CommandError("\(path) is not in the library\(near) (\"sotto library list\" shows what is)")
            }
            let count = try await context.library(index).remove(path)
            context.hosting?.announcements.tell(.library)
            context.console.note("Removed \(path): \(count) documents; the files themselves are untouched")
        }
    }

    private static func search(_ words: String, _ arguments: Arguments, _ context: Context) async throws {
        guard let limit = Int(arguments.value("limit") ?? "10"), (1...100).contains(limit) else {
            throw UsageError("--limit is a number from 1 to 100", usage: librarySpec.usage)
        }
        guard let index = try await context.engines.index(writing: false) else {
            throw CommandError("the library is empty; add documents with: sotto library add DIR")
        }
        let language = arguments.value("language") ?? context.language(of: words)
        let hits = try await index.search(PassageQuery(text: words, language: language, limit: limit))
        if arguments.has("json") {
            try context.printJSON(LibrarySearchReport(query: words, hits: hits))
            return
        }
        guard hits.isEmpty == false else {
            context.console.note("Nothing matches")
            return
        }
        for (number, hit) in hits.enumerated() {
            let place = ([hit.title] + hit.passage.headings).joined(separator: " › ")
            context.console.result(
                "\(number + 1). \(place)\n   \(hit.location)\n   \(hit.passage.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(280))\n"
            )
        }
    }
}

private struct LibraryListing: Encodable {
    var schemaVersion = 1
    var roots: [LibraryRoot]
}

struct LibrarySearchReport: Encodable {
    struct Hit: Encodable {
        var title: String
        var location: String
        var language: String
        var heading: String
        var text: String
        var offset: Int
        var score: Double
    }

    var schemaVersion = 1
    var query: String
    var hits: [Hit]

    init(query: String, hits: [PassageHit]) {
        self.query = query
        self.hits = hits.map {
            Hit(
                title: $0.title, location: $0.location, language: $0.language, heading: $0.passage.headings.joined(separator: " › "),
                text: $0.passage.text, offset: $0.passage.offset, score: $0.score)
        }
    }
}
