@testable import SottoServing
import Testing

/// A head that is refused, and what it would be used for.
struct BadHead: Sendable, CustomTestStringConvertible {
    var stops: String
    var text: String
    var status: Int
    var testDescription: String { stops }

    init(_ stops: String, _ text: String, _ status: Int = 400) {
        self.stops = stops
        self.text = text
        self.status = status
    }
}

@Suite struct RequestHeadParserTests {
    /// How the same bytes may arrive.
    enum Arrival: CaseIterable, Sendable { case whole, bytes, pairs }

    private static func parse(_ text: [UInt8], _ arrival: Arrival, limits: ServerLimits = ServerLimits()) throws(Problem) -> (
        head: RequestHead, rest: [UInt8]
    )? {
        var parser = RequestHeadParser(limits: limits)
        let size =
            switch arrival {
            case .whole: max(1, text.count)
            case .bytes: 1
            case .pairs: 2
            }
        var position = 0
        while position < text.count {
            let end = min(position + size, text.count)
            if let (head, rest) = try parser.append(Array(text[position..<end])) { return (head, rest + text[end...]) }
            position = end
        }
        return nil
    }

    @Test("a request is read however it arrives, and what follows it stays", arguments: Arrival.allCases)
    func reads(_ arrival: Arrival) throws {
        let text = "\r\nPOST /agents/a%20b?x=1&y=a+b HTTP/1.1\r\nHost: 127.0.0.1:7780\r\nX-Empty:\r\nX-Spaces: \t a b \t\r\nhOsT2: ü\r\n\r\nbody"
        let (head, rest) = try #require(try Self.parse(Array(text.utf8), arrival))
        #expect(head.method == .post)
        #expect(head.target.segments == ["agents", "a b"])
        #expect(head.target.queryValue("y") == "a b")
        #expect(head.minorVersion == 1)
        #expect(head.headers["HOST"] == "127.0.0.1:7780")
        #expect(head.headers["x-empty"] == "")
        #expect(head.headers["x-spaces"] == "a b")
        #expect(head.headers["host2"] == "ü")
        #expect(rest == Array("body".utf8))
    }

    @Test("HTTP/1.0 is read and ends its connection") func readsOldVersion() throws {
        let (head, _) = try #require(try Self.parse(Array("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".utf8), .whole))
        #expect(head.minorVersion == 0)
        #expect(head.keepsAlive == false)
    }

    @Test("an absolute address is taken apart") func readsAbsoluteTarget() throws {
        let (head, _) = try #require(try Self.parse(Array("GET http://Localhost:1/a HTTP/1.1\r\nHost: localhost:1\r\n\r\n".utf8), .whole))
        #expect(head.target.authority == "Localhost:1")
        #expect(head.target.segments == ["a"])
    }

    static let refused: [BadHead] = [
        BadHead("a TLS handshake", "\u{16}\u{3}\u{1}"),
        BadHead("HTTP/2 without agreement", "PRI * HTTP/2.0\r\n\r\n", 505),
        BadHead("no version (HTTP/0.9)", "GET /\r\n\r\n"),
        BadHead("a version of the future", "GET / HTTP/3.0\r\n\r\n", 505),
        BadHead("a version in lower case", "GET / http/1.1\r\n\r\n"),
        BadHead("a version with more digits", "GET / HTTP/1.10\r\n\r\n", 505),
        BadHead("two spaces before the address", "GET  / HTTP/1.1\r\n\r\n"),
        BadHead("two spaces after the address", "GET /  HTTP/1.1\r\n\r\n"),
        BadHead("a tab as a separator", "GET\t/ HTTP/1.1\r\n\r\n"),
        BadHead("a space inside the address", "GET /a b HTTP/1.1\r\n\r\n"),
        BadHead("a space at the line's beginning", " GET / HTTP/1.1\r\n\r\n"),
        BadHead("a method in lower case", "get / HTTP/1.1\r\n\r\n", 501),
        BadHead("an unknown method", "TRACE / HTTP/1.1\r\n\r\n", 501),
        BadHead("a tunnel", "CONNECT example.org:443 HTTP/1.1\r\n\r\n", 501),
        BadHead("an address without a slash", "GET index.html HTTP/1.1\r\n\r\n"),
        BadHead("an address of another scheme", "GET ftp://a/ HTTP/1.1\r\n\r\n"),
        BadHead("an address with a fragment", "GET /#a HTTP/1.1\r\n\r\n"),
        BadHead("an address beyond ASCII", "GET /ü HTTP/1.1\r\n\r\n"),
        BadHead("an asterisk with GET", "GET * HTTP/1.1\r\n\r\n"),
        BadHead("line feeds alone", "GET / HTTP/1.1\nHost: a\n\n"),
        BadHead("one line feed alone among the fields", "GET / HTTP/1.1\r\nA: b\nB: c\r\n\r\n"),
        BadHead("a carriage return inside a value", "GET / HTTP/1.1\r\nA: b\rContent-Length: 5\r\n\r\n"),
        BadHead("a NUL in a value", "GET / HTTP/1.1\r\nA: b\u{0}c\r\n\r\n"),
        BadHead("a NUL in the address", "GET /\u{0} HTTP/1.1\r\n\r\n"),
        BadHead("an escape character in a value", "GET / HTTP/1.1\r\nA: \u{1B}[2J\r\n\r\n"),
        BadHead("a delete character in a value", "GET / HTTP/1.1\r\nA: \u{7F}\r\n\r\n"),
        BadHead("smuggling by a space before the colon", "POST / HTTP/1.1\r\nContent-Length : 5\r\n\r\n"),
        BadHead("smuggling by a tab before the colon", "POST / HTTP/1.1\r\nTransfer-Encoding\t: chunked\r\n\r\n"),
        BadHead("smuggling by a folded line", "POST / HTTP/1.1\r\nTransfer-Encoding:\r\n chunked\r\n\r\n"),
        BadHead("smuggling by a folded first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        BadHead("smuggling by an underscored twin's invisible brother", "POST / HTTP/1.1\r\nContent-Length\u{0B}: 5\r\n\r\n"),
        BadHead("a field without a colon", "GET / HTTP/1.1\r\nHost\r\n\r\n"),
        BadHead("a field without a name", "GET / HTTP/1.1\r\n: value\r\n\r\n"),
        BadHead("a name with quotation marks", "GET / HTTP/1.1\r\n\"Host\": a\r\n\r\n"),
        BadHead("a name beyond ASCII", "GET / HTTP/1.1\r\nHöst: a\r\n\r\n"),
        BadHead("many empty lines", "\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
        BadHead("a header flood", "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 65) + "\r\n", 431),
        BadHead("a head that never ends", "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 20_000), 431),
        BadHead("an address that never ends", "GET /" + String(repeating: "a", count: 5_000), 414),
        BadHead("an address that is too long", "GET /" + String(repeating: "a", count: 4_100) + " HTTP/1.1\r\n\r\n", 414),
        BadHead("a method that never ends", String(repeating: "A", count: 5_000), 414),
        BadHead("a broken escape in the path", "GET /%zz HTTP/1.1\r\n\r\n"),
        BadHead("a broken escape in the query", "GET /?a=%2 HTTP/1.1\r\n\r\n"),
        BadHead("a flood of query parts", "GET /?" + String(repeating: "a&", count: 101) + " HTTP/1.1\r\n\r\n"),
    ]

    @Test("stops", arguments: refused, Arrival.allCases)
    func refuses(_ bad: BadHead, _ arrival: Arrival) throws {
        let problem = #expect(throws: Problem.self) { try Self.parse(Array(bad.text.utf8), arrival) }
        #expect(problem?.status == bad.status)
        #expect(problem?.detail.isEmpty == false)
    }

    @Test("bytes that are no UTF-8 are refused in a value") func refusesBadText() {
        #expect(throws: Problem.self) { try Self.parse(Array("GET / HTTP/1.1\r\nA: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8), .whole) }
    }

    @Test("as many fields as allowed, and a head of the very size allowed, pass") func passesAtTheLimits() throws {
        var limits = ServerLimits()
        limits.headerCount = 3
        let text = "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n"
        limits.headBytes = text.utf8.count - 1
        #expect(try Self.parse(Array(text.utf8), .whole, limits: limits) != nil)
        limits.headBytes = text.utf8.count - 3
        #expect(throws: Problem.self) { try Self.parse(Array(text.utf8), .whole, limits: limits) }
    }

    @Test("random bytes neither crash the parser nor pass as a request") func survivesNoise() {
        var generator = SplitMix(seed: 7)
        for _ in 0..<2_000 {
            var parser = RequestHeadParser(limits: ServerLimits())
            let noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let result = try? parser.append(noise)
            #expect(result == nil)
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
