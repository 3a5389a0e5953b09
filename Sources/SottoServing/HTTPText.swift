/// Character classes of RFC 9110 and what is made of them.
enum HTTPText {
    /// `tchar`: what names and methods are made of.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func isToken(_ bytes: some Collection<UInt8>) -> Bool { bytes.isEmpty == false && bytes.allSatisfy(isToken) }

    /// What may stand in a field's value: visible ASCII, spaces, tabs, and bytes beyond ASCII.
    static func isValue(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    /// Without spaces and tabs at both ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }), let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Decodes `%XX`.
    ///
    /// - Returns: `nil` when an escape is broken, the result is no UTF-8, or it holds a control character.
    static func percentDecoded(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue) else { return nil }
                result.append(high << 4 | low)
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                result.append(0x20)
            } else {
                result.append(byte)
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else { return nil }
        // U+0080…U+009F are controls too; U+FEFF and the like are text.
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }
}
