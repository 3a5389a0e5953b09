/// What a body is, told by its first bytes; the sender's word decides only between kinds of text.
///
/// Follows the order of the MIME Sniffing Standard (§7): signatures first, then markup, then "binary or text".
public enum ContentKind: String, Sendable, Codable, CaseIterable {
    case html, xml, json, text, pdf
    /// Pictures, sound, video, archives, programs: nothing to read.
    case other

    /// How many first bytes are looked at.
    public static let prefix = 1_024

    /// - Parameters:
    ///   - bytes: The body, or its first ``prefix`` bytes.
    ///   - type: The Content-Type header; empty when there is none.
    public init(sniffing bytes: some Sequence<UInt8>, type: String) {
        let head = Array(bytes.prefix(Self.prefix))
        let declared = type.prefix { $0 != ";" }.trimmingSpaces().lowercased()
        if Self.contains(head, "%PDF-") {
            self = .pdf
        } else if Self.signatures.contains(where: { head.starts(with: $0) }) || Self.isMedia(head) {
            self = .other
        } else if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = Self.text(head.filter { $0 != 0 }, declared)
        } else if head.contains(where: Self.isBinary) {
            self = .other
        } else {
            self = Self.text(head, declared)
        }
    }

    private static func text(_ head: [UInt8], _ declared: String) -> ContentKind {
        let start = head.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0 >= 0xFE }
        let word = String(decoding: start.prefix(64), as: UTF8.self).lowercased()
        if declared == "text/html" || declared == "application/xhtml+xml" { return .html }
        if declared.hasSuffix("json") { return .json }
        if word.hasPrefix("<?xml") {
            return contains(head, "<html") || contains(head, "<HTML") ? .html : .xml
        }
        if markup.contains(where: { word.hasPrefix($0) }) { return declared == "text/plain" ? .text : .html }
        if declared.hasSuffix("xml") { return .xml }
        if declared.isEmpty, let first = start.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .json }
        return .text
    }

    private static let markup = [
        "<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a ", "<style", "<title", "<b>", "<br",
        "<p", "<!--",
        "<article", "<main", "<meta",
    ]

    private static let signatures: [[UInt8]] = [
        [0x1F, 0x8B], [0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A], [0x37, 0x7A, 0xBC, 0xAF],
        Array("Rar!".utf8),
        [0x42, 0x5A, 0x68], Array("GIF8".utf8), [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("wOFF".utf8), Array("wOF2".utf8),
        Array("OggS".utf8), Array("ID3".utf8),
        Array("fLaC".utf8), [0x7F, 0x45, 0x4C, 0x46], [0x1A, 0x45, 0xDF, 0xA3], Array("%!PS".utf8), [0, 0x61, 0x73, 0x6D],
    ]

    private static func isMedia(_ head: [UInt8]) -> Bool {
        guard head.count >= 12 else { return false }
        let kind = head[8..<12]
        return head.starts(with: Array("RIFF".utf8))
            && [Array("WEBP".utf8), Array("WAVE".utf8), Array("AVI ".utf8)].contains { kind.elementsEqual($0) }
            || head[4..<8].elementsEqual(Array("ftyp".utf8))
    }

    /// "Binary data byte" of the standard, §3.
    private static func isBinary(_ byte: UInt8) -> Bool { byte <= 8 || byte == 0x0B || (0x0E...0x1A).contains(byte) || (0x1C...0x1F).contains(byte) }

    private static func contains(_ head: [UInt8], _ word: String) -> Bool {
        let word = Array(word.utf8)
        guard head.count >= word.count else { return false }
        return (0...(head.count - word.count)).contains { head[$0..<($0 + word.count)].elementsEqual(word) }
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return text
    }
}
