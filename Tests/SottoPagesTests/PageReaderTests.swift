import Foundation
import SottoDocument
import SottoDocumentReading
import SottoPages
import Testing

@Suite struct PageReaderTests {
    private let reader = PageReader()
    private func read(_ text: String, _ name: String = "page.html") async throws -> Document { try await reader.read(Array(text.utf8), name: name) }
    private func code(_ bytes: [UInt8], _ name: String) async -> DocumentReadingError.Code? {
        do {
            _ = try await reader.read(bytes, name: name)
            return nil
        } catch { return (error as? DocumentReadingError)?.code }
    }

    @Test("HTML becomes blocks: headings, nested lists, tables, code, definitions, breaks")
    func blocks() async throws {
        let document = try await read("""
            <!doctype html><html lang="en"><head><title>Guide – Site</title></head><body><nav><a href=x>Home</a></nav>
            <h1>Guide</h1><p>Run <code>dpkg-reconfigure</code>&nbsp;now.<br>Then wait.</p><ul><li>one<ol><li>inner</li></ol></li><li><p>two</p></li></ul>
            <table><tr><th>Level</th><th>Disks</th></tr><tr><td>RAID-1</td><td>2</td></tr></table>
            <pre>  a
                b</pre><dl><dt>term</dt><dd>meaning</dd></dl><blockquote>said</blockquote><details><summary>More</summary>text</details>
            <footer>© all</footer><script>evil()</script></body></html>
            """)
        #expect(document.title == "Guide – Site")
        #expect(document.language == "en")
        #expect(document.blocks == [
            .heading(level: 1, text: "Guide"), .paragraph("Run dpkg-reconfigure now.\nThen wait."),
            .list(ordered: false, items: [[.paragraph("one"), .list(ordered: true, items: [[.paragraph("inner")]])], [.paragraph("two")]]),
            .table(rows: [["Level", "Disks"], ["RAID-1", "2"]], headerRows: 1), .code("  a\n    b"),
            .definition(term: "term", blocks: [.paragraph("meaning")]), .quote([.paragraph("said")]), .paragraph("More"), .paragraph("text"),
        ])
    }

    @Test("a raised figure is an exponent or a footnote, and never joins the number before it", arguments: [
        ("2<sup>64</sup> addresses", "2^64 addresses"), ("10<sup>-3</sup> m", "10^-3 m"), ("40 m<sup>2</sup>", "40 m²"), ("(a+b)<sup>2</sup>", "(a+b)^2"),
        ("in 1998<sup><a href='#n'>3</a></sup> already", "in 1998 already"), ("so it is<sup>[4]</sup>.", "so it is."), ("the 1<sup>st</sup> time", "the 1st time"),
        ("a<sup><span style='display:none'>7</span></sup> b", "a b"),
    ])
    func raised(html: String, text: String) async throws {
        #expect(try await read("<p>\(html)</p>").plainText == text)
    }

    @Test("hidden text is left out and counted", arguments: [
        "<p hidden>SECRET</p>", "<div style='display: none'>SECRET</div>", "<span style=\"visibility:hidden\">SECRET</span>", "<!-- SECRET -->",
        "<p aria-hidden=true>SECRET</p>", "<p style='font-size:0'>SECRET</p>", "<p style='position:absolute;left:-9999px'>SECRET</p>", "<template>SECRET</template>",
        "<p class=sr-only>SECRET</p>", "<pre>ok<span hidden>SECRET</span></pre>", "<ul><li>ok<li hidden>SECRET</ul>", "<table><tr><td>ok</td><td>b</td></tr><tr style='display:none'><td>SECRET</td></tr></table>",
    ])
    func hidden(markup: String) async throws {
        let document = try await read("<html><body><p>Visible text here.</p>\(markup)</body></html>")
        #expect(document.plainText.contains("SECRET") == false)
        #expect(document.hiddenCharacters > 0 || markup.contains("template") || markup.contains("<tr style"))
    }

    @Test("zero-width characters are dropped and counted, joiners that a script needs stay")
    func zeroWidth() async throws {
        let document = try await read("<p>ig\u{200B}nore\u{E0041} me می\u{200C}خواهم</p>")
        #expect(document.plainText == "ignore me می\u{200C}خواهم")
        #expect(document.hiddenCharacters == 2)
    }

    @Test("the main content is preferred; a box called sidebar with text stays")
    func mainContent() async throws {
        let text = String(repeating: "Real content of the page. ", count: 20)
        let document = try await read("<body><div class=menu><a href=a>Menu entry</a></div><div>Around</div><main><p>\(text)</p><div class=sidebar><p>NOTE A box with advice.</p></div></main></body>")
        #expect(document.plainText.contains("Menu entry") == false)
        #expect(document.plainText.contains("Around") == false)
        #expect(document.plainText.contains("A box with advice."))
    }

    @Test("Markdown: blocks, tables, front matter, HTML inside")
    func markdown() async throws {
        let document = try await read("---\ntitle: \"The title\"\nlang: en\n---\n# Head\n\nText `code` **bold**\nnext.\n\n- a\n  1. b\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```sh\nls -l\n```\n\n> q\n\n<div>html <b>inside</b><!-- no --></div>\n", "x.md")
        #expect(document.title == "The title")
        #expect(document.blocks == [
            .heading(level: 1, text: "Head"), .paragraph("Text code bold next."), .list(ordered: false, items: [[.paragraph("a"), .list(ordered: true, items: [[.paragraph("b")]])]]),
            .table(rows: [["A", "B"], ["1", "2"]], headerRows: 1), .code("ls -l"), .quote([.paragraph("q")]), .paragraph("html inside"),
        ])
    }

    @Test("plain text: wrapped paragraphs, underlined headings, indented code")
    func plainText() async throws {
        let document = try await read("Title here\n==========\n\nA paragraph that was wrapped at a certain width by its au-\nthor and goes on with more words here.\n\n    make install\n    make clean\n", "README.txt")
        #expect(document.blocks == [
            .heading(level: 1, text: "Title here"), .paragraph("A paragraph that was wrapped at a certain width by its author and goes on with more words here."),
            .code("    make install\n    make clean"),
        ])
    }

    @Test("bad input has a clear error")
    func badInput() async throws {
        #expect(await code([], "a.html") == .empty)
        #expect(await code(Array("  \n ".utf8), "a.txt") == .empty)
        #expect(await code(Array("<html><body><script>x</script></body></html>".utf8), "a.html") == .noText)
        #expect(await code([UInt8](repeating: 0, count: 400) + [1, 2, 3], "a.txt") == .unsupportedKind)
        var random = SystemRandomNumberGenerator()
        #expect(await code((0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }, "a.html") == .unsupportedKind)
        #expect(await code([0x89, 0x50, 0x4E, 0x47, 1, 2, 3], "a.md") == .unsupportedKind)
        #expect(await code(Array("%PDF-1.4 broken".utf8), "a.pdf") == .malformed)
        #expect(await code([UInt8](repeating: UInt8(ascii: "a"), count: 50_000_000), "big.html") == .tooLarge)
    }

    @Test("hostile pages end in seconds", arguments: [
        String(repeating: "<div>", count: 200_000) + "text", (0..<4_000).map { "<b id=\($0)><p>" }.joined() + "text", String(repeating: "<table><tr><td>", count: 20_000) + "x",
        "<p>" + String(repeating: "<a href=x>", count: 50_000) + "text", "<p title='" + String(repeating: "x", count: 2_000_000), String(repeating: "<!--", count: 300_000),
    ])
    func hostile(page: String) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        do { _ = try await read("<html><body><p>Before.</p>" + page) } catch let error as DocumentReadingError { print(error.message) }
        #expect(clock.now - start < .seconds(20))
    }

    @Test("a hostile Markdown file ends in seconds", arguments: [String(repeating: ">", count: 50_000) + "x", String(repeating: "* ", count: 20_000) + "x", String(repeating: "[", count: 50_000), String(repeating: "**a ", count: 50_000)])
    func hostileMarkdown(text: String) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        _ = try await read(text, "x.md")
        #expect(clock.now - start < .seconds(20))
    }
}
