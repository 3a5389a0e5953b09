import Foundation
import SottoDocument
import SottoDocumentReading
import SottoPages

/// Reads pages, one path a line on standard input, and writes one line of JSON for each: its text without the title, and the seconds from
/// bytes to Markdown. With `--lean` nothing is kept or written: for the memory that reading takes.
struct ExtractBenchmark {
    func run() async throws {
        let reader = PageReader(parallel: 1)
        let clock = ContinuousClock()
        while let path = readLine() {
            guard let data = FileManager.default.contents(atPath: path) else { throw CocoaError(.fileReadNoSuchFile) }
            let bytes = [UInt8](data)
            var line: [String: Any] = ["path": path]
            let start = clock.now
            do {
                let document = try await reader.read(bytes, name: "page.html", charset: nil)
                let markdown = document.markdown
                line["seconds"] = (clock.now - start) / .seconds(1)
                line["markdownBytes"] = markdown.utf8.count
                // For the memory of reading alone.
                if CommandLine.arguments.contains("--lean") { continue }
                line["title"] = document.title
                line["byline"] = document.byline
                line["published"] = document.published
                line["text"] = Self.text(document.blocks.filter { if case .heading(let level, let text) = $0 { level > 1 && text != document.title } else { true } })
            } catch let error as DocumentReadingError {
                line["seconds"] = (clock.now - start) / .seconds(1)
                line["text"] = ""
                line["error"] = error.code.rawValue
            }
            // Beside the clock: an article must not be taken for a page that stands in its way.
            do { _ = try await reader.readPage(bytes, address: "page.html", charset: nil) } catch let error as DocumentReadingError { line["refusal"] = error.code.rawValue }
            FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys]) + Data("\n".utf8))
        }
    }

    /// The words alone: no marks of lists, no names of columns.
    private static func text(_ blocks: [Block]) -> String {
        blocks.map { block in
            switch block {
            case .heading(_, let text), .paragraph(let text), .code(let text): text
            case .list(_, let items): items.map(text).joined(separator: "\n")
            case .table(let rows, _): rows.map { $0.joined(separator: " ") }.joined(separator: "\n")
            case .quote(let blocks): text(blocks)
            case .definition(let term, let blocks): term + "\n" + text(blocks)
            }
        }.joined(separator: "\n")
    }
}
