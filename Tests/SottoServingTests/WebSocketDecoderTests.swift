@testable import SottoServing
import Testing

/// Frames as a client makes them, by hand.
func clientFrame(_ first: UInt8, _ payload: [UInt8], mask: [UInt8] = [1, 2, 3, 4], length: [UInt8]? = nil) -> [UInt8] {
    let head: [UInt8] = length ?? (payload.count < 126 ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)])
    return [first, head[0] | 0x80] + head.dropFirst() + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
}

@Suite struct WebSocketDecoderTests {
    private static func decode(_ bytes: [UInt8], by size: Int = 1_000_000, rules: WebSocketRules = WebSocketRules()) throws(WebSocketFault)
        -> [WebSocketDecoder.Event]
    {
        var decoder = WebSocketDecoder(rules: rules)
        var events: [WebSocketDecoder.Event] = []
        var position = 0
        while position < bytes.count {
            let end = min(position + size, bytes.count)
            events += try decoder.append(Array(bytes[position..<end]))
            position = end
        }
        return events
    }

    @Test("the examples of RFC 6455, 5.7") func examples() throws {
        #expect(try Self.decode([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [.message(.text("Hello"))])
        #expect(try Self.decode([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [.pong(Array("Hello".utf8))])
        #expect(WebSocketFrame.bytes(.text, Array("Hello".utf8)) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(WebSocketFrame.bytes(.ping, Array("Hello".utf8)) == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(Array(WebSocketFrame.bytes(.binary, [UInt8](repeating: 0, count: 256)).prefix(4)) == [0x82, 0x7E, 0x01, 0x00])
        #expect(Array(WebSocketFrame.bytes(.binary, [UInt8](repeating: 0, count: 65_536)).prefix(10)) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
    }

    @Test("messages come whole, in pieces of any size, with control frames between their fragments", arguments: [1, 2, 7, 1_000])
    func fragments(_ size: Int) throws {
        let euro = Array("€".utf8)
        let bytes =
            clientFrame(0x01, [euro[0]]) + clientFrame(0x89, Array("p".utf8)) + clientFrame(0x00, [euro[1]]) + clientFrame(0x8A, [])
            + clientFrame(0x80, [euro[2]])
            + clientFrame(0x82, [UInt8](repeating: 7, count: 300)) + clientFrame(0x81, []) + clientFrame(0x88, [0x03, 0xE8] + Array("bye".utf8)) + [
                0xFF, 0xFF,
            ]
        #expect(
            try Self.decode(bytes, by: size) == [
                .ping(Array("p".utf8)), .pong([]), .message(.text("€")), .message(.binary([UInt8](repeating: 7, count: 300))), .message(.text("")),
                .close(status: 1000, reason: "bye"),
            ])
    }

    struct BadFrames: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var status: UInt16 = 1002
    }

    static let refused: [BadFrames] = [
        BadFrames(testDescription: "a frame without a mask", bytes: [0x81, 0x01, 0x41]),
        BadFrames(testDescription: "an empty frame without a mask", bytes: [0x81, 0x00]),
        BadFrames(testDescription: "reserved bit 1 (compression nobody agreed on)", bytes: clientFrame(0xC1, [0x41])),
        BadFrames(testDescription: "reserved bit 2", bytes: clientFrame(0xA1, [0x41])),
        BadFrames(testDescription: "reserved bit 3", bytes: clientFrame(0x91, [0x41])),
        BadFrames(testDescription: "unknown data kind 3", bytes: clientFrame(0x83, [])),
        BadFrames(testDescription: "unknown data kind 7", bytes: clientFrame(0x87, [])),
        BadFrames(testDescription: "unknown control kind 11", bytes: clientFrame(0x8B, [])),
        BadFrames(testDescription: "unknown control kind 15", bytes: clientFrame(0x8F, [])),
        BadFrames(testDescription: "a ping in pieces", bytes: clientFrame(0x09, [])),
        BadFrames(testDescription: "a close in pieces", bytes: clientFrame(0x08, [])),
        BadFrames(testDescription: "a ping of 126 bytes", bytes: clientFrame(0x89, [UInt8](repeating: 0, count: 126))),
        BadFrames(testDescription: "a ping that says it is huge", bytes: [0x89, 0xFF]),
        BadFrames(testDescription: "a continuation of nothing", bytes: clientFrame(0x80, [0x41])),
        BadFrames(testDescription: "a continuation of nothing that goes on", bytes: clientFrame(0x00, [0x41])),
        BadFrames(testDescription: "a continuation after a whole message", bytes: clientFrame(0x81, [0x41]) + clientFrame(0x80, [0x41])),
        BadFrames(testDescription: "a text inside a text", bytes: clientFrame(0x01, [0x41]) + clientFrame(0x81, [0x41])),
        BadFrames(testDescription: "binary inside a text", bytes: clientFrame(0x01, [0x41]) + clientFrame(0x02, [0x41])),
        BadFrames(testDescription: "a short length in two bytes", bytes: clientFrame(0x81, [0x41], length: [126, 0, 1])),
        BadFrames(testDescription: "a short length in eight bytes", bytes: clientFrame(0x81, [0x41], length: [127, 0, 0, 0, 0, 0, 0, 0, 1])),
        BadFrames(testDescription: "a length of two bytes in eight", bytes: [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
        BadFrames(testDescription: "a length with its highest bit", bytes: [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        BadFrames(testDescription: "a length of 2^63 - 1", bytes: [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], status: 1009),
        BadFrames(testDescription: "a frame one byte too long", bytes: [0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1], status: 1009),
        BadFrames(testDescription: "a text that is no UTF-8", bytes: clientFrame(0x81, [0xC3, 0x28]), status: 1007),
        BadFrames(testDescription: "a text that ends inside a character", bytes: clientFrame(0x81, [0xE2, 0x82]), status: 1007),
        BadFrames(testDescription: "an overlong slash", bytes: clientFrame(0x81, [0xC0, 0xAF]), status: 1007),
        BadFrames(testDescription: "a surrogate", bytes: clientFrame(0x81, [0xED, 0xA0, 0x80]), status: 1007),
        BadFrames(
            testDescription: "fragments that are no UTF-8 together",
            bytes: clientFrame(0x01, [0xE2]) + clientFrame(0x80, [0x28, 0xA1]), status: 1007),
        BadFrames(testDescription: "a close with half a status", bytes: clientFrame(0x88, [0x03])),
        BadFrames(testDescription: "a close whose reason is no UTF-8", bytes: clientFrame(0x88, [0x03, 0xE8, 0xFF]), status: 1007),
    ]

    @Test("malformed frames are stopped", arguments: refused, [1, 1_000])
    func refuses(_ bad: BadFrames, _ size: Int) {
        let fault = #expect(throws: WebSocketFault.self) { try Self.decode(bad.bytes, by: size) }
        #expect(fault?.status == bad.status)
    }

    @Test(
        "a close status that is never sent is refused", arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16])
    func badStatus(_ status: UInt16) {
        let fault = #expect(throws: WebSocketFault.self) { try Self.decode(clientFrame(0x88, [UInt8(status >> 8), UInt8(status & 255)])) }
        #expect(fault?.status == 1002)
    }

    @Test("a close status that may be sent is taken", arguments: [1000, 1001, 1002, 1003, 1007, 1009, 1010, 1011, 3000, 4999] as [UInt16])
    func goodStatus(_ status: UInt16) throws {
        #expect(try Self.decode(clientFrame(0x88, [UInt8(status >> 8), UInt8(status & 255)])) == [.close(status: status, reason: "")])
    }

    @Test("fragments count together against the limit, before they are held") func fragmentFlood() {
        let rules = WebSocketRules(maximumMessageBytes: 10)
        let fault = #expect(throws: WebSocketFault.self) {
            try Self.decode(clientFrame(0x02, [1, 2, 3, 4, 5, 6]) + clientFrame(0x00, [1, 2, 3, 4]) + [0x80, 0x81], rules: rules)
        }
        #expect(fault?.status == 1009)
    }

    @Test("an address that takes no binary messages says so") func wrongKind() {
        let fault = #expect(throws: WebSocketFault.self) { try Self.decode(clientFrame(0x82, [1]), rules: WebSocketRules(takesBinary: false)) }
        #expect(fault?.status == 1003)
    }

    @Test("a close frame's reason is cut between characters") func longReason() {
        let frame = WebSocketFrame.close(1001, String(repeating: "ü", count: 100))
        #expect(frame.count == 2 + 2 + 122)
        #expect(String(validating: frame[4...], as: UTF8.self) != nil)
    }

    @Test("random bytes never crash the decoder") func noise() {
        var generator = SplitMix(seed: 11)
        for _ in 0..<2_000 {
            var decoder = WebSocketDecoder(rules: WebSocketRules(maximumMessageBytes: 64))
            _ = try? decoder.append((0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }
}
