internal import SottoDocument
internal import SottoDocumentReading
internal import SottoSubprocess

/// Reads the text of a PDF file with poppler's `pdftotext`, in a child process with limits on memory, time and output.
enum PDFReader {
    static func read(_ bytes: [UInt8], name: String, deadline: Duration, maximumText: Int) async throws -> Document {
        let output: Subprocess.Output
        do {
            output = try await Subprocess.run(.init(
                "pdftotext", ["-enc", "UTF-8", "-", "-"], input: .bytes(bytes), maximumOutput: maximumText, deadline: deadline,
                memoryLimit: 2 << 30, package: "poppler-utils"))
        } catch let error as SubprocessError {
            throw failure(error)
        }
        let complaint = output.errorText.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
        guard output.status == .exited(0) else {
            if complaint.lowercased().contains("password") {
                throw DocumentReadingError(.malformed, "the PDF is protected by a password; save a copy without one")
            }
            throw DocumentReadingError(.malformed, "the PDF cannot be read (\(complaint.isEmpty ? "pdftotext failed" : complaint)); check that the file is whole")
        }
        let text = String(decoding: output.standardOutput, as: UTF8.self)
        let pages = text.split(separator: "\u{0C}", omittingEmptySubsequences: false).map { page in
            page.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        }
        guard text.contains(where: { $0.isLetter || $0.isNumber }) else {
            throw DocumentReadingError(.noText, "the PDF holds pictures of text, not text; run it through OCR (for example ocrmypdf) first")
        }
        let lines = withoutRunningHeads(pages)
        var document = PlainTextReader.read(lines.joined(separator: "\n"), name: name)
        if document.title.isEmpty { document.title = firstLine(lines) }
        return document
    }

    private static func failure(_ error: SubprocessError) -> DocumentReadingError {
        switch error.code {
        case .notFound: DocumentReadingError(.toolMissing, error.message, cause: error)
        case .deadlineExceeded: DocumentReadingError(.timedOut, "reading the PDF took too long; split it and read the parts", cause: error)
        case .outputTooLarge: DocumentReadingError(.tooLarge, "the PDF holds too much text; split it and read the parts", cause: error)
        default: DocumentReadingError(.malformed, error.message, cause: error)
        }
    }

    /// Lines that stand first or last on most pages, but for their numbers, are not text.
    static func withoutRunningHeads(_ pages: [[String]]) -> [String] {
        func key(_ line: String) -> String { line.filter { $0.isNumber == false && $0.isWhitespace == false } }
        let filled = pages.filter { $0.contains { $0.trimmingSpaces.isEmpty == false } }
        var counts: [String: Int] = [:]
        func edges(_ page: [String]) -> Set<Int> {
            let filled = page.indices.filter { page[$0].trimmingSpaces.isEmpty == false }
            return Set([filled.first, filled.last].compactMap(\.self))
        }
        for page in filled { for edge in Set(edges(page).map { key(page[$0]) }) { counts[edge, default: 0] += 1 } }
        return filled.flatMap { page -> [String] in
            let edges = edges(page)
            return page.enumerated().filter { index, line in
                edges.contains(index) == false || counts[key(line), default: 0] < max(3, filled.count / 2)
            }.map(\.element)
        }
    }

    private static func firstLine(_ lines: [String]) -> String {
        let line = lines.first { $0.trimmingSpaces.count >= 4 }?.trimmingSpaces ?? ""
        return line.count <= 120 ? line : ""
    }
}
