import Testing
import Foundation

/// Real and hand-written result pages with their expected results.
enum Corpus {
    static let root = ProcessInfo.processInfo.environment["SOTTO_CORPORA"] ?? ""
    static var isThere: Bool { root.isEmpty == false && FileManager.default.fileExists(atPath: root + "/serp/index.tsv") }

    struct Page: Sendable, CustomTestStringConvertible {
        var kind: String
        var isReal: Bool
        var file: String
        /// As the index counts them; `nil` where it does not.
        var results: Int?
        var testDescription: String { file }
        var bytes: [UInt8] { [UInt8](FileManager.default.contents(atPath: Corpus.root + "/serp/" + file) ?? Data()) }
        var expected: Expected? {
            let path = Corpus.root + "/serp/" + file.replacingOccurrences(of: ".html", with: ".expected.json")
            return FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Expected.self, from: $0) }
        }
    }

    struct Expected: Decodable {
        struct Hit: Decodable {
            var title: String
            var url: String
            var snippet: String
            var date: String?
        }
        var organic: [Hit]
    }

    static let pages: [Page] = {
        guard isThere, let table = try? String(contentsOfFile: root + "/serp/index.tsv", encoding: .utf8) else { return [] }
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count > 5 else { return nil }
            return Page(kind: cells[0], isReal: cells[2] == "real", file: cells[3], results: Int(cells[5]))
        }
    }()

    static func pages(_ kinds: String...) -> [Page] { pages.filter { kinds.contains($0.kind) } }
}
