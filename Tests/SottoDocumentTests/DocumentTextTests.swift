import SottoDocument
import Testing

@Suite struct DocumentTextTests {
    @Test("writes Markdown that keeps structure and escapes what would change it")
    func markdown() {
        let document = Document(title: "T", blocks: [
            .heading(level: 2, text: "Head"), .paragraph("# no heading\nsecond line"),
            .list(ordered: false, items: [[.paragraph("one"), .list(ordered: true, items: [[.paragraph("inner")]])], [.code("a\n```\nb")]]),
            .table(rows: [["A", "B|C"], ["1"]], headerRows: 1), .quote([.paragraph("said")]), .definition(term: "term", blocks: [.paragraph("meaning")]),
            .paragraph("1. not a list"),
        ])
        #expect(document.markdown == """
            ## Head

            \\# no heading\("  ")
            second line

            - one

              1. inner
            - ````
              a
              ```
              b
              ````

            | A | B\\|C |
            | --- | --- |
            | 1 |  |

            > said

            **term**

            meaning

            1\\. not a list
            """)
    }

    @Test("writes plain text with empty lines between blocks")
    func plain() {
        let document = Document(title: "T", blocks: [
            .heading(level: 1, text: "Head"), .paragraph("Text."), .list(ordered: true, items: [[.paragraph("one")], [.paragraph("two")]]), .code("x\n  y"),
        ])
        #expect(document.plainText == "Head\n\nText.\n\n1. one\n2. two\n\nx\n  y")
    }
}
