/// Finds out how bytes are encoded, as browsers do: byte order mark, what the sender said, what the document says, what it looks like.
public enum EncodingSniffer {
    /// - Parameters:
    ///   - bytes: The start of the document is enough, but for the test for UTF-8, which reads it all.
    ///   - declared: The label that a Content-Type header gave, if any.
    ///   - isMarkup: Whether `meta` elements and an XML declaration count.
    /// - Returns: The encoding and how many bytes its mark takes.
    public static func encoding(of bytes: [UInt8], declared: String? = nil, isMarkup: Bool) -> (encoding: CharacterEncoding, mark: Int) {
        if let found = byteOrderMark(bytes) { return found }
        if let wide = withoutMark(bytes) { return (wide, 0) }
        if let declared, let encoding = CharacterEncoding(label: declared) { return (checked(encoding, bytes), 0) }
        if isMarkup, let encoding = prescan(bytes) ?? xmlDeclaration(bytes) { return (checked(encoding, bytes), 0) }
        if let escape = escapes(bytes) { return (escape, 0) }
        if isUTF8(bytes) { return (.utf8, 0) }
        return (.windows1252, 0)
    }

    /// The text that bytes hold, without their mark.
    ///
    /// - Parameters:
    ///   - declared: The label that a Content-Type header gave, if any.
    ///   - isMarkup: Whether `meta` elements and an XML declaration count.
    /// - Returns: The text, its encoding, and how many places could not be read and became U+FFFD.
    /// - Complexity: O(n).
    public static func decode(_ bytes: [UInt8], declared: String? = nil, isMarkup: Bool) -> (text: String, encoding: CharacterEncoding, replaced: Int) {
        let (encoding, mark) = encoding(of: bytes, declared: declared, isMarkup: isMarkup)
        let (text, replaced) = TextDecoder.decode(bytes[mark...], encoding)
        return (text, encoding, replaced)
    }

    /// A page that is sound UTF-8 beyond ASCII is UTF-8, whatever it says: no other encoding gives such bytes by chance.
    private static func checked(_ encoding: CharacterEncoding, _ bytes: [UInt8]) -> CharacterEncoding {
        guard encoding != .utf8 else { return isUTF8(bytes) || legacyShare(bytes) == false ? .utf8 : .windows1252 }
        // Read as ASCII to get here, or declared by the sender: then zeros or bytes that are no UTF-8 speak for it.
        if encoding.name.hasPrefix("utf-16") || encoding.name.hasPrefix("utf-32") { return isUTF8(bytes) && bytes.contains(0) == false ? .utf8 : encoding }
        if encoding.name.hasPrefix("iso-2022") { return encoding }
        return bytes.contains { $0 >= 0x80 } && isUTF8(bytes) ? .utf8 : encoding
    }

    /// Whether nearly every byte above ASCII is part of no UTF-8 sequence: the label was wrong, not a byte or two.
    private static func legacyShare(_ bytes: [UInt8]) -> Bool {
        var wrong = 0, right = 0, index = 0
        while index < bytes.count {
            let length = sequenceLength(bytes, index)
            if bytes[index] >= 0x80 { if length == 0 { wrong += 1 } else { right += 1 } }
            index += max(1, length)
        }
        return wrong > right * 4
    }

    static func byteOrderMark(_ bytes: [UInt8]) -> (encoding: CharacterEncoding, mark: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return CharacterEncoding(label: "utf-32le").map { ($0, 4) } }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return CharacterEncoding(label: "utf-32be").map { ($0, 4) } }
        if bytes.starts(with: [0xFE, 0xFF]) { return CharacterEncoding(label: "utf-16be").map { ($0, 2) } }
        if bytes.starts(with: [0xFF, 0xFE]) { return CharacterEncoding(label: "utf-16le").map { ($0, 2) } }
        return nil
    }

    /// UTF-16 and UTF-32 without a mark: markup and spaces put zeros at the same place of each unit.
    static func withoutMark(_ bytes: [UInt8]) -> CharacterEncoding? {
        let sample = bytes.prefix(4096)
        guard sample.count >= 8 else { return nil }
        var zeros = [0, 0, 0, 0]
        for (index, byte) in sample.enumerated() where byte == 0 { zeros[index % 4] += 1 }
        let quarter = sample.count / 4
        if zeros[0] > quarter * 9 / 10, zeros[1] > quarter * 9 / 10, zeros[3] * 4 < quarter { return CharacterEncoding(label: "utf-32be") }
        if zeros[3] > quarter * 9 / 10, zeros[2] > quarter * 9 / 10, zeros[0] * 4 < quarter { return CharacterEncoding(label: "utf-32le") }
        let even = zeros[0] + zeros[2], odd = zeros[1] + zeros[3]
        if even > sample.count / 4, odd * 20 < even { return CharacterEncoding(label: "utf-16be") }
        if odd > sample.count / 4, even * 20 < odd { return CharacterEncoding(label: "utf-16le") }
        return nil
    }

    /// ISO 2022 switches character sets by escape sequences that nothing else holds.
    private static func escapes(_ bytes: [UInt8]) -> CharacterEncoding? {
        guard let escape = bytes.firstIndex(of: 0x1B), bytes.contains(where: { $0 >= 0x80 }) == false else { return nil }
        let next = Array(bytes[(escape + 1)...].prefix(3))
        if next == Array("$)C".utf8) { return CharacterEncoding(label: "iso-2022-kr") }
        if next.starts(with: Array("$B".utf8)) || next.starts(with: Array("$@".utf8)) || next.starts(with: Array("(J".utf8)) { return CharacterEncoding(label: "iso-2022-jp") }
        return nil
    }

    /// How many bytes the UTF-8 sequence at `index` takes, 0 when there is none.
    private static func sequenceLength(_ bytes: [UInt8], _ index: Int) -> Int {
        let first = bytes[index]
        if first < 0x80 { return 1 }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first <= 0xF4, index + length <= bytes.count else { return 0 }
        for offset in 1..<length where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
        let second = bytes[index + 1]
        switch first {
        case 0xE0 where second < 0xA0, 0xED where second > 0x9F, 0xF0 where second < 0x90, 0xF4 where second > 0x8F: return 0
        default: return length
        }
    }

    static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var index = 0
        var wide = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                index += 1
                continue
            }
            let length = sequenceLength(bytes, index)
            // A file that was cut in the middle of its last character is still UTF-8, if it held others.
            if length == 0 { return wide > 0 && index >= bytes.count - 3 && bytes[index] >= 0xC2 }
            if length > 1 { wide += 1 }
            index += length
        }
        return true
    }

    static func xmlDeclaration(_ bytes: [UInt8]) -> CharacterEncoding? {
        guard bytes.starts(with: Array("<?xml".utf8)), let end = bytes.prefix(1024).firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        guard let range = text.firstRange(of: "encoding") else { return nil }
        let rest = text[range.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return CharacterEncoding(label: rest.dropFirst().prefix { $0 != quote })
    }

    /// The HTML Standard's "prescan a byte stream to determine its encoding", over the first 16 384 bytes.
    ///
    /// Browsers wait for 1 024 bytes and begin again when a later `meta` says otherwise; a file is there whole.
    public static func prescan(_ bytes: [UInt8]) -> CharacterEncoding? {
        var scan = Prescan(bytes: Array(bytes.prefix(16_384)))
        return scan.run()
    }

    private struct Prescan {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private func byte(_ at: Int) -> UInt8? { at < bytes.count ? bytes[at] : nil }
        private func isSpace(_ byte: UInt8) -> Bool { byte == 9 || byte == 10 || byte == 12 || byte == 13 || byte == 32 }
        private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

        private func matches(_ word: String) -> Bool {
            guard index + word.utf8.count <= bytes.count else { return false }
            return zip(bytes[index...], word.utf8).allSatisfy { byte, want in byte == want || (isLetter(byte) && byte | 0x20 == want) }
        }

        mutating func run() -> CharacterEncoding? {
            while index < bytes.count {
                if matches("<!--") {
                    // The end may use the dashes of the start: "<!-->".
                    var end = index + 2
                    while end + 2 < bytes.count, bytes[end..<end + 3].elementsEqual("-->".utf8) == false { end += 1 }
                    index = end + 3
                } else if matches("<meta"), let after = byte(index + 5), isSpace(after) || after == UInt8(ascii: "/") {
                    index += 6
                    if let found = meta() { return found }
                } else if bytes[index] == UInt8(ascii: "<"), let next = byte(index + 1), isLetter(next) || (next == UInt8(ascii: "/") && byte(index + 2).map(isLetter) == true) {
                    while let next = byte(index), isSpace(next) == false, next != UInt8(ascii: ">") { index += 1 }
                    while attribute() != nil {}
                } else if bytes[index] == UInt8(ascii: "<"), let next = byte(index + 1), "!/?".utf8.contains(next) {
                    while let next = byte(index), next != UInt8(ascii: ">") { index += 1 }
                    index += 1
                } else {
                    index += 1
                }
            }
            return nil
        }

        private mutating func meta() -> CharacterEncoding? {
            var seen: Set<String> = []
            var gotPragma = false
            var needsPragma: Bool?
            var charset: CharacterEncoding?
            while let (name, value) = attribute() {
                guard seen.insert(name).inserted else { continue }
                switch name {
                case "http-equiv": if value == "content-type" { gotPragma = true }
                case "content":
                    if charset == nil, let label = Self.label(inContent: value), let found = CharacterEncoding(label: label) {
                        charset = found
                        needsPragma = true
                    }
                case "charset":
                    charset = CharacterEncoding(label: value)
                    needsPragma = false
                default: break
                }
            }
            guard let needsPragma, let charset, needsPragma == false || gotPragma else { return nil }
            return charset.name.hasPrefix("utf-16") ? .utf8 : charset
        }

        /// "Extracting a character encoding from a meta element".
        private static func label(inContent content: String) -> String? {
            var rest = content[...]
            while let range = rest.firstRange(of: "charset") {
                rest = rest[range.upperBound...].drop(while: \.isWhitespace)
                guard rest.first == "=" else { continue }
                rest = rest.dropFirst().drop(while: \.isWhitespace)
                guard let first = rest.first else { return nil }
                if first == "\"" || first == "'" {
                    let inner = rest.dropFirst()
                    guard let end = inner.firstIndex(of: first) else { return nil }
                    return String(inner[..<end])
                }
                return String(rest.prefix { $0.isWhitespace == false && $0 != ";" })
            }
            return nil
        }

        /// "Get an attribute": name and value in lower case.
        private mutating func attribute() -> (String, String)? {
            while let next = byte(index), isSpace(next) || next == UInt8(ascii: "/") { index += 1 }
            guard let first = byte(index), first != UInt8(ascii: ">") else { return nil }
            var name: [UInt8] = []
            var value: [UInt8] = []
            func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).lowercased() }
            while let next = byte(index) {
                if next == UInt8(ascii: "="), name.isEmpty == false { break }
                if isSpace(next) {
                    while let space = byte(index), isSpace(space) { index += 1 }
                    guard byte(index) == UInt8(ascii: "=") else { return (text(name), "") }
                    break
                }
                if next == UInt8(ascii: "/") || next == UInt8(ascii: ">") { return (text(name), "") }
                name.append(next)
                index += 1
            }
            guard byte(index) != nil else { return nil }
            index += 1
            while let next = byte(index), isSpace(next) { index += 1 }
            guard let quote = byte(index) else { return nil }
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                index += 1
                while let next = byte(index) {
                    index += 1
                    if next == quote { return (text(name), text(value)) }
                    value.append(next)
                }
                return nil
            }
            if quote == UInt8(ascii: ">") { return (text(name), "") }
            while let next = byte(index) {
                if isSpace(next) || next == UInt8(ascii: ">") { return (text(name), text(value)) }
                value.append(next)
                index += 1
            }
            return nil
        }
    }
}
