/// What a file holds, told by its bytes first and its name second.
public enum FileKind: Sendable, Equatable {
    case html, markdown, text, pdf
    /// Something that is no document, with its name for people.
    case other(String)

    private static let signatures: [(bytes: [UInt8], name: String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"), ([0xFF, 0xD8, 0xFF], "a JPEG picture"), (Array("GIF8".utf8), "a GIF picture"),
        ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive or an office document"), ([0x1F, 0x8B], "a gzip archive"), (Array("BZh".utf8), "a bzip2 archive"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz archive"), ([0x28, 0xB5, 0x2F, 0xFD], "a zstd archive"), ([0x7F, 0x45, 0x4C, 0x46], "a program"),
        (Array("RIFF".utf8), "a sound or a film"), (Array("OggS".utf8), "a sound"), (Array("ID3".utf8), "a sound"), (Array("fLaC".utf8), "a sound"),
        (Array("SQLite format 3".utf8), "a database"), ([0xD0, 0xCF, 0x11, 0xE0], "an old office document"), (Array("{\\rtf".utf8), "an RTF document"),
        (Array("%!PS".utf8), "a PostScript file"),
    ]

    public init(_ bytes: [UInt8], name: String) {
        let head = Array(bytes.prefix(1024))
        let isWide = EncodingSniffer.byteOrderMark(head).map { $0.encoding != .utf8 } ?? false || EncodingSniffer.withoutMark(head) != nil
        if let found = Self.signatures.first(where: { head.starts(with: $0.bytes) }) {
            self = .other(found.name)
            return
        }
        let text = String(decoding: head.filter { $0 != 0 }, as: UTF8.self).lowercased()
        if text.contains("%pdf-") {
            self = .pdf
            return
        }
        if isWide == false, Self.looksBinary(bytes) {
            self = .other("no text that can be read")
            return
        }
        let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let isNamedMarkdown = ["md", "markdown", "mkd", "mdown"].contains(suffix)
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" || $0 == "\u{FFFD}" }
        let isMarkup = ["<!doctype html", "<html", "<?xml", "<head", "<body", "<rss", "<feed"].contains { start.hasPrefix($0) }
        if isMarkup || ["html", "htm", "xhtml", "xht", "shtml", "xml"].contains(suffix) {
            self = .html
        } else if isNamedMarkdown {
            self = .markdown
        } else if ["txt", "text", "rst", "log", "csv"].contains(suffix) == false,
            ["<p", "<div", "<h1", "<h2", "<title", "<meta", "<table", "<!--", "<main", "<article", "<section", "<script"].contains(where: { start.hasPrefix($0) }) {
            self = .html
        } else {
            self = .text
        }
    }

    /// Zeros, or more than one control character in thirty, do not occur in text.
    private static func looksBinary(_ bytes: [UInt8]) -> Bool {
        let sample = bytes.prefix(16_384)
        var controls = 0
        for byte in sample {
            if byte == 0 { return true }
            if byte < 0x20, byte != 9, byte != 10, byte != 12, byte != 13, byte != 0x1B { controls += 1 }
        }
        return controls * 30 > sample.count
    }
}
