@testable import SottoServing
import Testing

@Suite struct SecurityPolicyTests {
    static let policy = SecurityPolicy(
        hosts: SecurityPolicy.loopbackHosts(port: 7780), key: Secret("the-key"), cookieName: "sotto-7780", isSession: { $0 == "living" })

    private static func head(_ fields: [(String, String)], method: HTTPMethod = .get, target: String = "/") throws -> RequestHead {
        RequestHead(method: method, target: try RequestTarget(target), headers: HTTPHeaders(fields.map { .init($0.0, $0.1) }))
    }

    @Test("the server answers under its own names", arguments: ["127.0.0.1:7780", "localhost:7780", "LOCALHOST:7780", "[::1]:7780"])
    func ownHosts(_ host: String) throws { try Self.policy.checkHost(Self.head([("Host", host)])) }

    @Test(
        "DNS rebinding is stopped",
        arguments: [
            "evil.example", "evil.example:7780", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:7781", "localhost", "localhost:7780.evil.example",
            "localhost.evil.example:7780",
            "evil.example#localhost:7780", "localhost:7780@evil.example", "user@localhost:7780", "localhost.:7780", "localhost:07780", "127.1:7780",
            "2130706433:7780",
            "0x7f.0.0.1:7780", "127.0.0.1.nip.io:7780", "0.0.0.0:7780", "[::]:7780", "[::ffff:127.0.0.1]:7780", "::1:7780", "[0:0:0:0:0:0:0:1]:7780",
            "localhost:7780,evil.example",
            "localhost:7780 evil.example", "xn--lcalhost-54a:7780", "ｌocalhost:7780", "127.0.0.2:7780", "[::1%lo]:7780",
        ])
    func foreignHosts(_ host: String) throws {
        let problem = #expect(throws: Problem.self) { try Self.policy.checkHost(Self.head([("Host", host)])) }
        #expect(problem?.status == 403)
    }

    @Test(
        "a host that is missing, empty or there twice is refused",
        arguments: [[], [""], ["localhost:7780", "localhost:7780"], ["localhost:7780", "evil.example"]])
    func oddHosts(_ hosts: [String]) throws {
        let problem = #expect(throws: Problem.self) { try Self.policy.checkHost(Self.head(hosts.map { ("Host", $0) })) }
        #expect(problem?.status == 400)
    }

    @Test("an absolute address of another host is refused") func absoluteTarget() throws {
        try Self.policy.checkHost(Self.head([("Host", "localhost:7780")], target: "http://LOCALHOST:7780/a"))
        #expect(throws: Problem.self) { try Self.policy.checkHost(Self.head([("Host", "localhost:7780")], target: "http://evil.example/a")) }
    }

    @Test("the port is left out where it is the scheme's own") func ownPort() {
        #expect(SecurityPolicy.loopbackHosts(port: 80).contains("localhost"))
        #expect(SecurityPolicy.loopbackHosts(port: 7780).contains("localhost") == false)
    }

    @Test("the server's own pages may ask", arguments: ["http://127.0.0.1:7780", "http://localhost:7780", "http://[::1]:7780"])
    func ownOrigins(_ origin: String) throws {
        try Self.policy.checkOrigin(Self.head([("Origin", origin), ("Sec-Fetch-Site", "same-origin")], method: .post), isLink: false)
    }

    @Test(
        "pages of other origins are stopped",
        arguments: [
            "null", "", "http://evil.example", "https://localhost:7780", "http://localhost", "http://localhost:80", "http://localhost:7781",
            "http://localhost:77800",
            "http://localhost:7780.evil.example", "http://localhost:7780@evil.example", "http://evil.example/http://localhost:7780",
            "http://localhost:7780/", "http://localhost:7780/a",
            "http://localhost:7780?", "http://localhost:7780#", "http://LOCALHOST:7780", "HTTP://localhost:7780", "http://sub.localhost:7780",
            "http://localhost.evil.example:7780",
            "http://notlocalhost:7780", "http://127.0.0.1.evil.example:7780", "http://127.0.0.1:7780 http://evil.example",
            "http://localhost:7780, http://evil.example", "http://localhost:07780",
            "http://xn--lcalhost-54a:7780", "http://127.1:7780", "http://[::ffff:7f00:1]:7780", "file://", "chrome-extension://abcdef",
            "moz-extension://abcdef", "ws://localhost:7780", "localhost:7780",
            "http://localhost\u{2024}evil.example:7780", "http://localhost:7780\t", "//localhost:7780",
        ], [HTTPMethod.get, .post])
    func foreignOrigins(_ origin: String, _ method: HTTPMethod) throws {
        let head = try Self.head([("Origin", origin)], method: method)
        let problem = #expect(throws: Problem.self) { try Self.policy.checkOrigin(head, isLink: true) }
        #expect(problem?.status == 403)
    }

    @Test("two origins are refused, even of the server's own") func twoOrigins() throws {
        let head = try Self.head([("Origin", "http://localhost:7780"), ("Origin", "http://localhost:7780")])
        #expect(throws: Problem.self) { try Self.policy.checkOrigin(head, isLink: false) }
    }

    @Test(
        "what a browser says about the asking page is believed when it is bad",
        arguments: [
            ("cross-site", "no-cors", "image"), ("cross-site", "cors", "empty"), ("same-site", "cors", "empty"), ("cross-site", "no-cors", "script"),
            ("cross-site", "navigate", "iframe"),
            ("cross-site", "navigate", "embed"), ("same-site", "no-cors", "audio"), ("cross-site", "websocket", "websocket"),
            ("CROSS-SITE", "cors", "empty"), ("", "cors", "empty"),
        ])
    func foreignFetches(_ site: String, _ mode: String, _ destination: String) throws {
        let head = try Self.head([("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)])
        for isLink in [true, false] { #expect(throws: Problem.self) { try Self.policy.checkOrigin(head, isLink: isLink) } }
    }

    @Test("a link from anywhere leads to open pages only, and only by a method that changes nothing") func links() throws {
        let fields = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        try Self.policy.checkOrigin(Self.head(fields), isLink: true)
        #expect(throws: Problem.self) { try Self.policy.checkOrigin(Self.head(fields), isLink: false) }
        #expect(throws: Problem.self) { try Self.policy.checkOrigin(Self.head(fields, method: .post), isLink: true) }
    }

    @Test(
        "a proof is the key or the cookie of a living session",
        arguments: [
            ([("Authorization", "Bearer the-key")], Identity.key), ([("Authorization", "bearer  the-key ")], .key),
            ([("Cookie", "sotto-7780=living")], .session),
            ([("Cookie", "a=b; sotto-7780=living; c=d")], .session), ([("Cookie", "sotto-7780=dead")], .none),
            ([("Cookie", "sotto-7781=living")], .none),
            ([("Cookie", "Sotto-7780=living")], .none), ([("Cookie", "sotto-7780=living; sotto-7780=dead")], .none),
            ([("Cookie", "sotto-7780=living"), ("Cookie", "sotto-7780=living")], .none),
            ([("Cookie", "sotto-7780")], .none), ([], .none),
        ] as [([(String, String)], Identity)])
    func proofs(_ fields: [(String, String)], _ identity: Identity) throws {
        #expect(try Self.policy.identity(Self.head(fields)) == identity)
    }

    @Test(
        "a wrong key is refused, even beside a good cookie",
        arguments: [
            "Bearer", "Bearer ", "Bearer the-ke", "Bearer the-keyy", "Bearer THE-KEY", "Bearer the-kez", "Basic the-key", "the-key",
            "Bearer the-key the-key", "", "Bearer null",
        ])
    func wrongKeys(_ value: String) throws {
        let head = try Self.head([("Authorization", value), ("Cookie", "sotto-7780=living")])
        let problem = #expect(throws: Problem.self) { try Self.policy.identity(head) }
        #expect(problem?.status == 401)
    }

    @Test("two keys are refused") func twoKeys() throws {
        let head = try Self.head([("Authorization", "Bearer the-key"), ("Authorization", "Bearer the-key")])
        #expect(throws: Problem.self) { try Self.policy.identity(head) }
    }

    @Test("a session changes nothing without an origin (CSRF); the key does") func missingOrigin() throws {
        let head = try Self.head([], method: .post)
        try Self.policy.checkAccess(head, .key, access: .identified, needsOrigin: true)
        let problem = #expect(throws: Problem.self) { try Self.policy.checkAccess(head, .session, access: .identified, needsOrigin: true) }
        #expect(problem?.status == 403)
        try Self.policy.checkAccess(Self.head([("Origin", "http://localhost:7780")], method: .post), .session, access: .identified, needsOrigin: true)
        try Self.policy.checkAccess(head, .session, access: .identified, needsOrigin: false)
    }

    @Test("without a proof there are open routes only") func noProof() throws {
        try Self.policy.checkAccess(Self.head([]), .none, access: .open, needsOrigin: false)
        let problem = #expect(throws: Problem.self) { try Self.policy.checkAccess(Self.head([]), .none, access: .identified, needsOrigin: false) }
        #expect(problem?.status == 401)
        #expect(problem?.headers.first?.name == "WWW-Authenticate")
    }
}
