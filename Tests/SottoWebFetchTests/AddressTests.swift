import SottoFetching
import Testing

@testable import SottoWebFetch

@Suite struct AddressTests {
    /// Where we are stricter than Python 3.11, and why: forms that hold or relay another address, Azure's inner service, and what IANA has
    /// not handed out.
    private static func isStricter(_ address: IPAddress) -> Bool {
        let scope = AddressScope(address)
        if address.isVersion4 { return scope == .tunneled || scope == .metadata || address.bytes.starts(with: [192, 0, 0]) }
        // fec0::/10 was private until RFC 3879, and still is where it is used.
        return scope == .tunneled || scope == .reserved || scope == .documentation || address.bytes[0] == 0xFE
    }

    @Test("addresses are open exactly where Python's ipaddress says so, or we are stricter for a stated reason")
    func scopes() throws {
        let rows = try Fixture.rows("addresses.tsv")
        #expect(rows.count > 1_000)
        for row in rows {
            let address = try #require(IPAddress(row[0]))
            let isOpen = AddressScope(address) == .global
            if row[1] == "0" { #expect(isOpen == false, "\(row[0]) must not be dialed") }
            if row[1] == "1", isOpen == false { #expect(Self.isStricter(address), "\(row[0]) is public") }
        }
    }

    @Test(
        "every special-purpose block is known by its own name",
        arguments: [
            ("0.1.2.3", AddressScope.unspecified), ("10.0.0.1", .privateUse), ("100.64.0.1", .sharedUse), ("127.255.0.1", .loopback),
            ("169.254.1.1", .linkLocal),
            ("169.254.169.254", .metadata), ("100.100.100.200", .metadata), ("168.63.129.16", .metadata), ("172.31.255.255", .privateUse),
            ("172.32.0.0", .global),
            ("192.168.1.1", .privateUse), ("198.19.0.1", .benchmarking), ("224.0.0.1", .multicast), ("255.255.255.255", .reserved),
            ("1.1.1.1", .global),
            ("::", .unspecified), ("::1", .loopback), ("::ffff:8.8.8.8", .tunneled), ("::8.8.8.8", .tunneled), ("64:ff9b::8.8.8.8", .tunneled),
            ("64:ff9b:1::1", .tunneled), ("2002:808:808::1", .tunneled), ("2001:0:1::1", .tunneled), ("2606:4700::5efe:7f00:1", .tunneled),
            ("fd00:ec2::254", .metadata),
            ("fd12::1", .privateUse), ("fe80::1", .linkLocal), ("fec0::1", .privateUse), ("ff02::1", .multicast), ("2606:4700:4700::1111", .global),
            ("4000::1", .reserved),
        ])
    func blocks(text: String, scope: AddressScope) throws {
        #expect(AddressScope(try #require(IPAddress(text))) == scope)
    }

    @Test("numeric hosts are read as the C library reads them")
    func spellings() throws {
        let rows = try Fixture.rows("spellings.tsv")
        #expect(rows.count > 200)
        for row in rows {
            let reading = IPv4Spelling.read(row[0].lowercased())
            switch row[1] {
            // What the C library refuses may be an error or a name here, never an address; "0x" alone is the URL Standard's 0.
            case "-":
                if row[0] == "0x.1" { continue }
                if case .address(let address) = reading { Issue.record("\(row[0]) was read as \(address)") }
            default: #expect(reading == IPAddress(row[1]).map { .address($0) }, "\(row[0])")
            }
        }
    }

    @Test(
        "an address comes out in one form",
        arguments: [
            ("HTTP://Example.COM", "http://example.com/"), ("http://example.com.:80/a", "http://example.com/a"),
            ("https://example.com:443?q=1#x", "https://example.com/?q=1"),
            ("  http://exa\tmple.com/\n", "http://example.com/"), ("http:\\\\example.com\\a\\b?c\\d", "http://example.com/a/b?c\\d"),
            ("http://0x7f.1:8080/", "http://127.0.0.1:8080/"), ("http://[::FFFF:7F00:1]/", "http://[::ffff:127.0.0.1]/"),
            ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
            ("http://１２７。０。０。１/", "http://127.0.0.1/"), ("http://bücher.example/ü?ä", "http://xn--bcher-kva.example/%C3%BC?%C3%A4"),
            ("http://faß.example/", "http://xn--fa-hia.example/"), ("http://example.com/a b", "http://example.com/a%20b"),
            ("http://example.com/../x/./y", "http://example.com/x/y"),
        ])
    func normalized(text: String, expected: String) throws {
        #expect(try WebAddress(text).description == expected)
    }

    @Test(
        "what is no address of the web is refused with its reason",
        arguments: [
            ("ftp://example.com/", FetchError.Code.unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("gopher://127.0.0.1/", .unsupportedScheme),
            ("javascript:alert(1)", .invalidAddress), ("data:text/html,x", .invalidAddress), ("", .invalidAddress), ("example.com", .invalidAddress),
            ("http://", .invalidAddress),
            ("http://user@example.com/", .credentialsInAddress), ("http://a:b@127.0.0.1/", .credentialsInAddress),
            ("http://example.com@127.0.0.1/", .credentialsInAddress),
            ("http://256.1.1.1/", .invalidAddress), ("http://1.2.3.4.5/", .invalidAddress), ("http://[fe80::1%25lo]/", .invalidAddress),
            ("http://[::1/", .invalidAddress),
            ("http://exa mple.com/", .invalidAddress), ("http://example.com:99999/", .invalidAddress), ("http://example.com:0/", .invalidAddress),
            ("http://a..b/", .invalidAddress),
            ("http://127.0.0.1\u{0}.example.com/", .invalidAddress), ("http://\u{202E}.example/", .invalidAddress),
        ])
    func refused(text: String, code: FetchError.Code) throws {
        do {
            let address = try WebAddress(text)
            Issue.record("\(text) was read as \(address)")
        } catch { #expect(error.code == code, "\(text): \(error)") }
    }

    @Test(
        "relative addresses are resolved as RFC 3986 §5.4 lists them",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
        ])
    func relative(text: String, expected: String) throws {
        let base = try WebAddress("http://a/b/c/d;p?q")
        #expect(try WebAddress(text, relativeTo: base).description == expected)
    }
}
