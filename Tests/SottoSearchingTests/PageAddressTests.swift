import SottoSearching
import Testing

@Suite struct PageAddressTests {
    @Test(
        "tracking keys go, the rest of the query stays as it is",
        arguments: [
            ("https://a.example/p?utm_source=x&id=7&fbclid=1#top", "https://a.example/p?id=7#top"),
            ("https://a.example/p?utm_source=x", "https://a.example/p"),
            ("https://a.example/p?utm_campaign=x#s", "https://a.example/p#s"), ("https://a.example/p?b=2&a=1", "https://a.example/p?b=2&a=1"),
            ("https://a.example/p?q=utm_source", "https://a.example/p?q=utm_source"),
            ("https://a.example/p?", "https://a.example/p?"), ("https://a.example/p?UTM_Medium=1&x", "https://a.example/p?x"),
            ("https://a.example/p#?utm_source=x", "https://a.example/p#?utm_source=x"),
            ("https://a.example/watch?v=YQHsXMglC9A&gclid=2", "https://a.example/watch?v=YQHsXMglC9A"),
        ])
    func tracking(address: String, clean: String) { #expect(PageAddress.withoutTracking(address) == clean) }

    @Test(
        "one page under several spellings",
        arguments: [
            ("http://www.a.example/p/", "https://a.example/p"), ("https://A.example:443/p#x", "https://a.example/p"),
            ("https://a.example/%7Euser", "https://a.example/~user"),
            ("https://a.example/caf%c3%a9", "https://a.example/caf%C3%A9"), ("https://a.example", "https://a.example/"),
            ("https://a.example/p?utm_source=1&id=2", "https://a.example/p?id=2"),
            ("https://a.example./p", "https://a.example/p"),
        ])
    func same(left: String, right: String) { #expect(PageAddress.identity(of: left) == PageAddress.identity(of: right)) }

    @Test(
        "different pages stay different",
        arguments: [
            ("https://a.example/p?id=1", "https://a.example/p?id=2"), ("https://a.example/p?id=1", "https://a.example/p"),
            ("https://a.example/P", "https://a.example/p"), ("https://a.example:8080/p", "https://a.example/p"),
            ("https://b.a.example/p", "https://a.example/p"), ("https://a.example/a%2Fb", "https://a.example/a/b"),
            ("https://a.example/#!/one", "https://a.example/#!/two"), ("https://www.example/", "https://example/"),
        ])
    func different(left: String, right: String) { #expect(PageAddress.identity(of: left) != PageAddress.identity(of: right)) }

    @Test(
        "what is an address of the web",
        arguments: [
            ("https://a.example/p q", true), (" https://a.example ", true), ("http://[::1]:80/", true), ("//a.example/", false), ("/p", false),
            ("javascript:x", false), ("https:///p", false), ("https://u:p@a.example", false),
            ("https://a.example/\u{1}", false), ("", false), ("gopher://a.example", false),
            ("https://" + String(repeating: "a", count: 5_000), false),
        ])
    func absolute(text: String, isAddress: Bool) { #expect((PageAddress.absolute(text) != nil) == isAddress) }

    @Test func relative() {
        #expect(PageAddress.absolute("/b/c.html", base: "http://127.0.0.1:8080/x/") == "http://127.0.0.1:8080/b/c.html")
        #expect(PageAddress.absolute("//b.example/", base: "https://a.example/") == "https://b.example/")
        #expect(PageAddress.absolute("javascript:x", base: "https://a.example/") == nil)
    }

    @Test func site() {
        #expect(PageAddress.site(of: "https://www.a.example:8080/p?x") == "a.example")
        #expect(PageAddress.site(of: "nothing") == "")
    }
}
