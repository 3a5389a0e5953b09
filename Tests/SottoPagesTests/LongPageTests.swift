import Foundation
import SottoDocument
import SottoPages
import SottoTestSupport
import Testing

/// Of a long page what is finished is taken over while the rest is still parsed. That must show in nothing but the memory.
@Suite struct LongPageTests {
    private static let corpora = ProcessInfo.processInfo.environment["SOTTO_CORPORA"] ?? ""

    private static func reader(harvestInterval: Int) -> PageReader {
        var limits = PageReader.Limits()
        limits.harvestInterval = harvestInterval
        return PageReader(limits: limits, parallel: 1)
    }

    private let whole = Self.reader(harvestInterval: .max)
    private let inPieces = Self.reader(harvestInterval: 4_096)

    private func reading(_ reader: PageReader, _ bytes: [UInt8]) async -> Result<Document, any Error> {
        do { return .success(try await reader.read(bytes, name: "page.html")) } catch { return .failure(error) }
    }

    private func expectSame(_ bytes: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        switch (await reading(whole, bytes), await reading(inPieces, bytes)) {
        case (.success(let one), .success(let other)): #expect(one == other, "\(name)", sourceLocation: sourceLocation)
        case (.failure(let one), .failure(let other)): #expect(String(describing: one) == String(describing: other), "\(name)", sourceLocation: sourceLocation)
        case (let one, let other): Issue.record("\(name): \(one), in pieces \(other)", sourceLocation: sourceLocation)
        }
    }

    @Test("every recorded page reads the same in pieces", .enabled(if: corpora.isEmpty == false, "set SOTTO_CORPORA"))
    func recorded() async throws {
        let folder = URL(fileURLWithPath: Self.corpora + "/web")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)).compactMap { $0 as? URL }
        let pages = files.filter { $0.pathExtension == "html" && $0.path.contains("/dev/") }.sorted { $0.path < $1.path }
        #expect(pages.count > 200)
        for page in pages { await expectSame([UInt8](try Data(contentsOf: page)), page.path) }
    }

    @Test("tag soup of every kind reads the same in pieces", arguments: 0..<120)
    func soup(seed: Int) async {
        var random = SplitMix64(state: UInt64(seed))
        var markup = "<!doctype html><title>Soup</title>"
        // Few kinds at a time, so that they meet.
        let kinds = Self.elements.shuffled(using: &random).prefix(6 + seed % 12)
        var open: [String] = []
        while markup.utf8.count < 40_000 {
            let kind = kinds.randomElement(using: &random) ?? "p"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                markup += "<\(kind) class=c\(Int.random(in: 0..<5, using: &random)) id=i\(markup.utf8.count)>"
                open.append(kind)
                if open.count > 60 { for name in open.reversed() { markup += "</\(name)>" }; open = [] }
            case 4: markup += "</\(kind)>"
            case 5, 6: if let last = open.popLast() { markup += "</\(last)>" }
            case 7: markup += "<!-- note \(markup.utf8.count) -->"
            default: markup += " Words \(markup.utf8.count) of a sentence that goes on, and on. "
            }
        }
        await expectSame(Array(markup.utf8), "seed \(seed)")
    }

    /// Those with rules of their own: formatting that is opened again, tables that put text before themselves, forms, templates, lists, foreign content.
    private static let elements = [
        "p", "div", "section", "b", "i", "a", "font", "nobr", "code", "em", "table", "tbody", "tr", "td", "th", "caption", "colgroup", "ul", "ol", "li", "dl", "dt", "dd",
        "form", "button", "select", "option", "template", "svg", "math", "mi", "foreignObject", "title", "head", "body", "frameset", "h1", "h2", "pre", "textarea", "ruby", "rt",
        "details", "summary", "applet", "marquee", "object", "article", "blockquote", "br", "hr", "img", "input", "script", "style", "noscript",
    ]

    @Test("a page that nests deep is cut at the same place in pieces", arguments: [200, 300, 600])
    func deep(levels: Int) async {
        let section = "<div>" + String(repeating: "<p>Some words stand here, at some depth of a page that goes deep.</p>", count: 4)
        let branch = String(repeating: section, count: levels) + String(repeating: "</div>", count: levels)
        await expectSame(Array(("<html><body>" + branch + branch + "<p>The end.</p></body></html>").utf8), "\(levels) levels")
    }
}
