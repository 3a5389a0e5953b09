/// Turns what a client sends into messages (RFC 6455, 5), and refuses everything that the standard forbids a client.
///
/// Holds at most one message of the size the rules allow; a frame that says it is larger is refused by its head.
public struct WebSocketDecoder: Sendable {
    public enum Event: Sendable, Equatable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong([UInt8])
        /// The other side ends; `status` is `nil` when it gave none. Nothing follows.
        case close(status: UInt16?, reason: String)
    }

    private struct Head {
        var isFinal: Bool
        var opcode: WebSocketFrame.Opcode
        var length: Int
        var mask: [UInt8]
        var size: Int
    }

    private let rules: WebSocketRules
    private var held: [UInt8] = []
    private var position = 0
    /// The message whose fragments are coming.
    private var fragments: (opcode: WebSocketFrame.Opcode, data: [UInt8])?
    private var isClosed = false

    public init(rules: WebSocketRules) { self.rules = rules }

    /// Takes the next bytes.
    ///
    /// - Throws: ``WebSocketFault`` 1002, 1003, 1007 or 1009; the connection is then to be closed. Events before the fault are lost, as RFC 6455
    ///   allows.
    public mutating func append(_ bytes: [UInt8]) throws(WebSocketFault) -> [Event] {
        held += bytes
        var events: [Event] = []
        while isClosed == false, let head = try nextHead() {
            guard held.count - position - head.size >= head.length else { break }
            let start = position + head.size
            var payload = Array(held[start..<(start + head.length)])
            for index in payload.indices { payload[index] ^= head.mask[index & 3] }
            position = start + head.length
            if let event = try take(head, payload) { events.append(event) }
        }
        if isClosed {
            held = []
            position = 0
        } else if position > 0 {
            held.removeFirst(position)
            position = 0
        }
        return events
    }

    private func nextHead() throws(WebSocketFault) -> Head? {
        let available = held.count - position
        guard available >= 2 else { return nil }
        let (first, second) = (held[position], held[position + 1])
        guard first & 0x70 == 0 else { throw .protocolError("a reserved bit is set, and no extension was agreed on") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F) else { throw .protocolError("the frame's kind is unknown") }
        guard second & 0x80 != 0 else { throw .protocolError("a client's frames are masked") }
        let isFinal = first & 0x80 != 0
        let isControl = opcode.rawValue >= 8
        let short = Int(second & 0x7F)
        if isControl {
            guard isFinal else { throw .protocolError("a control frame is in pieces") }
            guard short <= WebSocketFrame.longestControl else {
                throw .protocolError("a control frame is longer than \(WebSocketFrame.longestControl) bytes")
            }
        } else {
            guard (opcode == .continuation) == (fragments != nil) else {
                throw .protocolError(fragments == nil ? "there is no message to continue" : "a message begins inside another")
            }
            guard opcode != .text || rules.takesText, opcode != .binary || rules.takesBinary else {
                throw WebSocketFault(1003, "this address takes no \(opcode == .text ? "text" : "binary") messages")
            }
        }
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        guard available >= 2 + extra else { return nil }
        var length = extra == 0 ? short : 0
        if extra > 0 {
            let digits = held[(position + 2)..<(position + 2 + extra)]
            guard extra == 2 || (digits.first ?? 0) & 0x80 == 0 else { throw .protocolError("the frame's length has its highest bit set") }
            for byte in digits { length = length << 8 | Int(byte) }
            guard length > (extra == 2 ? 125 : 0xFFFF) else { throw .protocolError("the frame's length is not in its shortest form") }
        }
        if isControl == false {
            guard length <= rules.maximumMessageBytes - (fragments?.data.count ?? 0) else {
                throw WebSocketFault(1009, "a message is longer than \(rules.maximumMessageBytes) bytes")
            }
        }
        let size = 2 + extra + 4
        guard available >= size else { return nil }
        return Head(isFinal: isFinal, opcode: opcode, length: length, mask: Array(held[(position + 2 + extra)..<(position + size)]), size: size)
    }

    private mutating func take(_ head: Head, _ payload: [UInt8]) throws(WebSocketFault) -> Event? {
        switch head.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close:
            isClosed = true
            return try Self.close(payload)
        case .text, .binary:
            guard head.isFinal else {
                fragments = (head.opcode, payload)
                return nil
            }
            return .message(try Self.message(head.opcode, payload))
        case .continuation:
            guard var whole = fragments else { return nil }
            whole.data += payload
            fragments = head.isFinal ? nil : whole
            return head.isFinal ? .message(try Self.message(whole.opcode, whole.data)) : nil
        }
    }

    private static func message(_ opcode: WebSocketFrame.Opcode, _ data: [UInt8]) throws(WebSocketFault) -> WebSocketMessage {
        guard opcode == .text else { return .binary(data) }
        guard let text = String(validating: data, as: UTF8.self) else { throw WebSocketFault(1007, "a text message is no UTF-8") }
        return .text(text)
    }

    private static func close(_ payload: [UInt8]) throws(WebSocketFault) -> Event {
        guard payload.isEmpty == false else { return .close(status: nil, reason: "") }
        guard payload.count >= 2 else { throw .protocolError("a close frame holds half a status") }
        let status = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch status {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .protocolError("status \(status) is never sent")
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw WebSocketFault(1007, "the reason of a close frame is no UTF-8")
        }
        return .close(status: status, reason: reason)
    }
}
