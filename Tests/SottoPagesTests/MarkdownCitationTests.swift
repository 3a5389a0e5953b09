import SottoPages
import Testing

@Suite("Markdown of findings for an app")
struct MarkdownCitationTests {
    @Test("marks of known sources become citations, and nothing else becomes a link")
    func citations() throws {
        let html = try MarkdownHTML.render(
            "Anacron runs them [2], not [7]. See [here](https://evil.example/) and [there](#source-2), https://evil.example/x.", citing: [1, 2])
        #expect(html == """
            <p>Anacron runs them <a class="citation" data-source="2" href="#source-2">[2]</a>, not [7]. See here and there, https://evil.example/x.</p>

            """)
    }

    @Test(
        "what the text says of itself stays text",
        arguments: [
            "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![p](https://evil.example/p.png)", "[x](javascript:alert(1))",
            "<a class=\"citation\" data-source=\"1\" href=\"#source-1\">", "`<svg onload=alert(1)>`", "&lt;b&gt;", "<style>*{}</style>\n\n[1]",
            "[1]: https://evil.example/\n\n[1]", "<https://evil.example/>", "| a |\n|---|\n| <iframe src=//evil.example> |",
        ])
    func hostile(_ text: String) throws {
        let html = try MarkdownHTML.render(text, citing: [1])
        let allowed = ["<p>", "</p>", "<code>", "</code>", "<a class=\"citation\" data-source=\"1\" href=\"#source-1\">", "</a>", "<table>", "</table>", "<thead>",
            "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>", "<th>", "</th>", "<td>", "</td>"]
        let rest = allowed.reduce(html) { $0.replacing($1, with: "") }
        #expect(rest.contains("<") == false, "\(html)")
    }
}
