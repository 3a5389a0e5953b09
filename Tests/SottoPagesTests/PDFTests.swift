import Foundation
import SottoDocument
import SottoDocumentReading
import SottoPages
import Testing

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftotext"), "install poppler-utils")) struct PDFTests {
    /// A file by the PDF reference's rules, one line of text per page; poppler rebuilds the table of objects that it leaves out.
    private func file(_ pages: [String]) -> [UInt8] {
        var text = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
        let kids = pages.indices.map { "\(10 + $0 * 2) 0 R" }.joined(separator: " ")
        text += "2 0 obj\n<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>\nendobj\n3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n"
        for (number, line) in pages.enumerated() {
            let content = line.isEmpty ? "" : "BT /F1 12 Tf 72 700 Td (\(line)) Tj ET"
            text += "\(10 + number * 2) 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents \(11 + number * 2) 0 R >>\nendobj\n"
            text += "\(11 + number * 2) 0 obj\n<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream\nendobj\n"
        }
        return Array((text + "trailer\n<< /Root 1 0 R >>\n%%EOF\n").utf8)
    }

    @Test("the text of all pages is read, whatever the file is called")
    func text() async throws {
        let document = try await PageReader().read(file(["The first page holds this sentence.", "The second page holds another."]), name: "paper.txt")
        #expect(document.plainText.contains("The first page holds this sentence."))
        #expect(document.plainText.contains("The second page holds another."))
    }

    @Test("pages without text say so")
    func noText() async throws {
        do {
            _ = try await PageReader().read(file([""]), name: "scan.pdf")
            Issue.record("read text from nothing")
        } catch let error as DocumentReadingError {
            #expect(error.code == .noText)
            #expect(error.message.contains("OCR"))
        }
    }
}
