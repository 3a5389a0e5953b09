/// Frames as this server sends them: whole, unmasked, of the shortest form (RFC 6455, 5.2).
enum WebSocketFrame {
    enum Opcode: UInt8, Sendable { case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 }

    /// A control frame's payload has at most so many bytes.
    static let longestControl = 125

    static func bytes(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x80 | opcode.rawValue]
        switch payload.count {
        case ...125: result.append(UInt8(payload.count))
        case ...0xFFFF: result += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            result.append(127)
            for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
        }
        return result + payload
    }

    static func message(_ message: WebSocketMessage) -> [UInt8] {
        switch message {
        case .text(let text): bytes(.text, Array(text.utf8))
        case .binary(let data): bytes(.binary, data)
        }
    }

    static func close(_ status: UInt16, _ reason: String) -> [UInt8] {
        var text = Array(reason.utf8)
        // Not in the middle of a character.
        while text.count > longestControl - 2 || String(validating: text, as: UTF8.self) == nil { text.removeLast() }
        return bytes(.close, [UInt8(status >> 8), UInt8(status & 0xFF)] + text)
    }
}
