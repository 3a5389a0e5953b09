@testable import SottoServing
import Testing

@Suite struct SmallValuesTests {
    @Test(
        "SHA-1 gives the digests of RFC 3174 and of the empty message",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (
                String(repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10),
                "dea356a2cddd90c7a7ecedc5ebb563934f460452"
            ),
            (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
        ])
    func digests(_ message: String, _ digest: String) {
        let hex = SHA1.digest(Array(message.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == digest)
    }

    @Test(
        "base64 gives the examples of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ plain: String, _ coded: String) {
        #expect(Base64.text(Array(plain.utf8)) == coded)
        #expect(Base64.decodedCount(coded) == plain.utf8.count)
    }

    @Test("what is no base64 has no size", arguments: ["a", "ab=", "a===", "====", "ab=c", "Zg==Zg==", "Zm9v ", "Zm9_", "Zm8\n"]) func noBase64(
        _ text: String
    ) {
        #expect(Base64.decodedCount(text) == nil)
    }

    /// From GNU date: `date -u -d @N '+%a, %d %b %Y %T GMT'`.
    @Test(
        "dates are written as RFC 9110 wants them",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_796_083_199, "Mon, 30 Nov 2026 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ])
    func dates(_ seconds: Int, _ text: String) { #expect(HTTPDate.text(seconds) == text) }

    @Test(
        "response splitting is stopped",
        arguments: [
            ("A", "b\r\nSet-Cookie: c=d"), ("A", "b\nc"), ("A", "b\rc"), ("A", "b\0c"), ("A\r\nB", "c"), ("A B", "c"), ("A:", "c"), ("", "c"),
            ("Ä", "c"),
        ])
    func splitting(_ name: String, _ value: String) {
        #expect(throws: ServingError.self) { try ResponseHead.bytes(status: 200, headers: HTTPHeaders([.init(name, value)])) }
    }

    @Test("a head is written") func head() throws {
        let bytes = try ResponseHead.bytes(status: 404, headers: HTTPHeaders([.init("A", "b"), .init("C", "ü")]))
        #expect(String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 404 Not Found\r\nA: b\r\nC: ü\r\n\r\n")
        #expect(throws: ServingError.self) { try ResponseHead.bytes(status: 99, headers: HTTPHeaders()) }
    }

    @Test("every answer keeps the app to itself, and no handler can open it to other origins") func securityHeaders() {
        var headers = HTTPHeaders([
            .init("Access-Control-Allow-Origin", "*"), .init("access-control-allow-credentials", "true"), .init("X-Frame-Options", "ALLOWALL"),
        ])
        SecurityHeaders.add(to: &headers)
        #expect(headers.fields.contains { $0.name.lowercased().hasPrefix("access-control-") } == false)
        #expect(headers.all("X-Frame-Options") == ["DENY"])
        #expect(headers["X-Content-Type-Options"] == "nosniff")
        #expect(headers["Cache-Control"] == "no-store")
        let policy = headers["Content-Security-Policy"] ?? ""
        #expect(policy.contains("unsafe") == false && policy.contains("*") == false && policy.contains("http") == false)
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
    }

    @Test("a problem is JSON that says what to do") func problem() throws {
        let response = Problem(429, "too-many-requests", "wait \"2\" s", headers: [.init("Retry-After", "2")]).response
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.headers["Retry-After"] == "2")
        guard case .whole(let bytes) = response.body else { return #expect(Bool(false), "a problem is whole") }
        let expected =
            #"{"code":"too-many-requests","detail":"wait \"2\" s","status":429,"title":"Too Many Requests","#
            + #""type":"urn:sotto:problem:too-many-requests"}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("a rate is kept, a burst is let through, and addresses do not share") func rate() throws {
        var limiter = RateLimiter(rate: 10)
        for _ in 0..<20 { #expect(limiter.admit("a", at: .zero) == nil) }
        let answer = limiter.admit("a", at: .zero)
        let wait = try #require(answer)
        #expect(wait > .milliseconds(99) && wait < .milliseconds(101))
        #expect(limiter.admit("b", at: .zero) == nil)
        #expect(limiter.admit("a", at: .milliseconds(101)) == nil)
        #expect(limiter.admit("a", at: .milliseconds(101)) != nil)
        // A clock that goes back gives nothing.
        #expect(limiter.admit("a", at: .zero) != nil)
    }

    @Test("a flood of addresses does not grow the table for ever") func addressFlood() {
        var limiter = RateLimiter(rate: 1)
        for number in 0..<20_000 { _ = limiter.admit("a\(number)", at: .zero) }
        #expect(
            Mirror(reflecting: limiter).children.first { $0.label == "buckets" }.map { Mirror(reflecting: $0.value).children.count <= 4_096 } == true)
    }

    @Test(
        "a new connection takes a waiting one's place when there are too many; an address among others is refused",
        arguments: [
            (9, 9, 10, 10, ConnectionAdmission.accept), (10, 10, 10, 10, .replace), (10, 1, 10, 5, .replace), (7, 5, 10, 5, .refuse),
            (7, 4, 10, 5, .accept),
        ])
    func admission(_ open: Int, _ ofAddress: Int, _ most: Int, _ mostOfAddress: Int, _ expected: ConnectionAdmission) {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsPerAddress) = (most, mostOfAddress)
        #expect(ConnectionAdmission.decide(open: open, ofAddress: ofAddress, limits: limits) == expected)
    }
}
