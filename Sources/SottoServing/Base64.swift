/// Base64 of RFC 4648, for the WebSocket handshake and for secrets.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var number = 0
            for byte in group { number = number << 8 | Int(byte) }
            number <<= 8 * (3 - group.count)
            for place in 0..<4 { result.append(place <= group.count ? alphabet[number >> (18 - 6 * place) & 63] : UInt8(ascii: "=")) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// How many bytes a padded text stands for; `nil` when it is no base64.
    static func decodedCount(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, bytes.dropLast(padding).allSatisfy({ alphabet.contains($0) }) else { return nil }
        return bytes.count / 4 * 3 - padding
    }
}
