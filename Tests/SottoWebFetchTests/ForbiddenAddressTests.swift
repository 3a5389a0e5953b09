import Foundation
import SottoFetching
import SottoStreams
import Testing

@testable import SottoWebFetch

/// Addresses that lead to this machine, in many spellings; a canary listens there.
@Suite struct ForbiddenAddressTests {
    /// With `PORT` for the canary's. All of them reach a canary on this machine, or another host that must not be reached, when dialed as
    /// browsers and C libraries read them.
    static let spellings: [String] = {
        let hosts = [
            "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F000001", "017700000001", "0x7f.1", "0x7f.0x0.0x0.0x1", "0177.1",
            "0177.0.0.1",
            "0177.0000.00000.000001", "127.0.0.1.", "127.1.", "2130706433.", "0x7f000001.", "127.0.0.2", "127.255.255.254", "127.127.127.127", "0",
            "0.0.0.0", "0x0", "00",
            "0.0.0.0.", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "127．0．0．1", "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
            "[::FFFF:7F00:0001]", "[::127.0.0.1]",
            "[::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:0001:0000::1]",
            "[2001:0:7f00:1::]",
            "[2001:0:0:0:0:0:80ff:fffe]", "[::ffff:0:127.0.0.1]", "[::ffff:0:0]", "[fe80::1]", "[fe80::1%25lo]", "[fe80::1%lo]", "[fec0::1]",
            "[fc00::1]", "[fd00::1]",
            "[ff02::1]", "[ff01::1]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "[2606:4700::5efe:7f00:1]", "169.254.169.254", "0xa9fea9fe",
            "2852039166",
            "0251.0376.0251.0376", "169.254.43518", "169.254.169.254.", "100.100.100.200", "100.64.0.1", "10.0.0.1", "10.1", "012.0.0.1",
            "172.16.0.1", "192.168.0.1",
            "192.168.1", "3232235521", "0xc0a80001", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.192", "168.63.129.16",
            "loop.test", "LOOP.TEST",
            "loop.test.", "zero.test", "private.test", "mixed.test", "six.test", "mapped.test", "meta.test", "ｌｏｏｐ.test",
        ]
        return hosts.map { "http://\($0):PORT/" } + [
            "http:127.0.0.1:PORT/", "http:/127.0.0.1:PORT/", "http:///127.0.0.1:PORT/", "http:\\\\127.0.0.1:PORT\\",
            "http://127.0.0.1:PORT\\@example.com/",
            "http://example.com@127.0.0.1:PORT/", "http://user:word@127.0.0.1:PORT/", "http://127.0.0.1:PORT#@example.com/",
            "http://127.0.0.1:PORT?@example.com/",
            "\t http://127.0.\n0.1:PORT/", "//127.0.0.1:PORT/", "ftp://127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/_x", "dict://127.0.0.1:PORT/",
            "https://127.0.0.1:PORT/",
            "HTTP://127.0.0.1:PORT/", "http://127.0.0.1:0PORT/", "telnet://127.0.0.1:PORT/", "ldap://127.0.0.1:PORT/", "smb://127.0.0.1:PORT/x",
            "file:///etc/hostname",
        ]
    }()

    static let names: [String: [[String]]] = [
        "loop.test": [["127.0.0.1"]], "zero.test": [["0.0.0.0"]], "private.test": [["10.1.2.3"]], "mixed.test": [["93.184.215.14", "127.0.0.1"]],
        "six.test": [["::1"]],
        "mapped.test": [["::ffff:127.0.0.1"]], "meta.test": [["169.254.169.254"]],
    ]

    private func spelled(_ canary: Canary) -> [String] { Self.spellings.map { $0.replacingOccurrences(of: "PORT", with: "\(canary.port)") } }

    private static func isRefusal(_ code: FetchError.Code?) -> Bool {
        [.forbiddenAddress, .invalidAddress, .unsupportedScheme, .credentialsInAddress].contains(code)
    }

    @Test("typed by a user or found in a page: no spelling opens anything")
    func direct() async throws {
        let canary = try Canary()
        let world = TestWorld(ports: [], names: Self.names)
        let urls = spelled(canary)
        #expect(urls.count > 100)
        for purpose in [FetchRequest.Purpose.page, .search] {
            for url in urls {
                let error = try await world.failure(url, purpose)
                #expect(Self.isRefusal(error?.code), "\(url): \(String(describing: error))")
            }
        }
        #expect(world.sockets == [])
        #expect(canary.connections() == 0)
        #expect(canary.touch() && canary.connections() == 1, "the canary sings")
        #expect(world.ledger.rows.filter { $0.purpose != .robots }.count == 2 * urls.count)
        #expect(world.ledger.rows.contains { $0.url.contains("word") } == false, "passwords are not kept")
        #expect(world.ledger.rows.allSatisfy { $0.ending.outcome == .refused && $0.ending.address.isEmpty })
    }

    @Test("behind a redirect of a page: none either, and the canary at an allowed provider is not reached")
    func redirected() async throws {
        let canary = try Canary()
        let web = try TestWeb(Faults.serve)
        let world = TestWorld(ports: [web.port], names: Self.names)
        // Two of them at a configured provider's own address: the allowance is the provider's, not the page's.
        let provider = WebOrigin(scheme: "http", host: "127.0.0.1", port: canary.port)
        let extra = ["http://127.0.0.1:\(canary.port)/search?q=x", "http://0x7f.1:\(canary.port)/search?q=x"]
        for url in spelled(canary) + extra {
            let coded = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let error = try await world.failure("http://site.test:\(web.port)/to?\(coded)") { $0.allowance = provider }
            // "//host" and the like stay at http; an address without one is a page of the same site, which does not exist.
            #expect(Self.isRefusal(error?.code) || error?.code == .robotsUnreachable, "\(url): \(String(describing: error))")
        }
        #expect(canary.connections() == 0)
        #expect(Set(world.sockets) == ["127.0.0.1:\(web.port)"])
        #expect(canary.touch() && canary.connections() == 1)
    }

    @Test("a provider's own request reaches it where the user said it stands, and only there")
    func provider() async throws {
        let web = try TestWeb { request, connection in
            switch request.target {
            case "/own": connection.answer(302, ["Location": "/answer"])
            case "/away": connection.answer(302, ["Location": "http://127.0.0.1:\(request.headers["x-port"] ?? "1")/"])
            default: connection.answer(html: "results")
            }
        }
        let canary = try Canary()
        let world = TestWorld(ports: [])
        let own = WebOrigin(scheme: "http", host: "127.0.0.1", port: web.port)
        #expect(try await world.failure("http://127.0.0.1:\(web.port)/", .search)?.code == .forbiddenAddress)
        #expect(try await world.failure("http://127.0.0.1:\(web.port)/", .search) { $0.allowance = own } == nil)
        #expect(try await world.failure("http://127.1:\(web.port)/own", .search) { $0.allowance = own } == nil)
        let away = try await world.failure("http://127.0.0.1:\(web.port)/away", .search) {
            $0.allowance = own
            $0.headers = [.init("X-Port", "\(canary.port)")]
        }
        #expect(away?.code == .forbiddenAddress)
        #expect(try await world.failure("http://127.0.0.1:\(canary.port)/", .search) { $0.allowance = own }?.code == .forbiddenAddress)
        #expect(canary.connections() == 0)
    }

    @Test("a name that changes its mind is asked once a hop, and the answer that was checked is the one that is dialed")
    func rebinding() async throws {
        let web = try TestWeb(Faults.serve)
        // At the same port, where the second answer leads.
        let canary = try Canary(at: "127.0.0.66", port: web.port)
        let world = TestWorld(ports: [web.port], names: ["rebind.test": [["127.0.0.1"], ["127.0.0.66"]]])
        #expect(try await world.failure("http://rebind.test:\(web.port)/page", .search) == nil)
        #expect(world.resolver.lookups == ["rebind.test"])
        #expect(try await world.failure("http://rebind.test:\(web.port)/page", .search)?.code == .forbiddenAddress)
        let hopping = TestWorld(ports: [web.port], names: ["rebind.test": [["127.0.0.1"], ["127.0.0.66"]]])
        #expect(try await hopping.failure("http://rebind.test:\(web.port)/chain/1", .search)?.code == .forbiddenAddress)
        #expect(hopping.resolver.lookups == ["rebind.test", "rebind.test"])
        #expect(canary.connections() == 0)
        #expect(canary.touch("127.0.0.66") && canary.connections() == 1)
    }

    @Test("the socket itself is checked: an address that was not is not dialed, whatever libcurl was told")
    func socketCheck() throws {
        let canary = try Canary()
        let address = try WebAddress("http://127.0.0.1:\(canary.port)/")
        let hop = RedirectPolicy.Hop(address: address, method: .get, headers: [], body: [], isAllowed: false)
        let exchange = HTTPExchange(
            hop: hop, addresses: [try #require(IPAddress("93.184.215.14"))], headers: [], userAgent: "test", proxy: nil, limits: FetchLimits(),
            deadline: .now + .seconds(5), readsPage: true, authorities: nil, opening: { _, _ in Issue.record("a socket was made") })
        let result = HTTPTransfer.run(exchange, flag: .init())
        #expect(result.failure?.code == .forbiddenAddress)
        #expect(canary.connections() == 0)
    }
}
