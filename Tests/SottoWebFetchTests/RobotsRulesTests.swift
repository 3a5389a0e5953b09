import Testing

@testable import SottoWebFetch

@Suite struct RobotsRulesTests {
    private func rules(_ text: String, _ product: String = "sotto") -> RobotsRules { RobotsRules(Array(text.utf8), product: product) }

    /// RFC 9309 §5.1.
    private let simple = """
        User-Agent: *
        Disallow: *.gif$
        Disallow: /example/
        Allow: /publications/

        User-Agent: foobot
        Disallow:/
        Allow:/example/page.html
        Allow:/example/allowed.gif

        User-Agent: barbot
        User-Agent: bazbot
        Disallow: /example/page.html

        User-Agent: quxbot
        """

    @Test(
        "the simple example of the standard",
        arguments: [
            ("sotto", "/publications/a.html", true), ("sotto", "/example/a.html", false), ("sotto", "/a.gif", false), ("sotto", "/a.gif?x", true),
            ("sotto", "/", true),
            ("foobot", "/", false), ("FooBot", "/publications/", false), ("foobot", "/example/page.html", true),
            ("foobot", "/example/allowed.gif", true),
            ("foobot", "/example/disallowed.gif", false), ("barbot", "/example/page.html", false), ("bazbot", "/example/page.html", false),
            ("barbot", "/a.gif", true),
            ("quxbot", "/example/page.html", true), ("quxbot", "/a.gif", true), ("foobot", "/robots.txt", true),
        ])
    func simpleExample(product: String, target: String, isAllowed: Bool) {
        #expect(rules(simple, product).allows(target) == isAllowed)
    }

    @Test("the longest match counts, §5.2")
    func longest() {
        let rules = rules("User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n", "foobot")
        #expect(rules.allows("/example/page/disallow.gif"))
        #expect(rules.allows("/example/page/disallowed.gif") == false)
    }

    @Test(
        "percent-encoding is compared as §2.2.2 lists it",
        arguments: [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz"), ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar"),
            ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%E3%83%84", "/foo/bar/ツ"), ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ])
    func encoding(pattern: String, target: String) {
        #expect(rules("User-agent: *\nDisallow: \(pattern)").allows(target) == false)
    }

    @Test(
        "special characters of §2.2.3",
        arguments: [
            ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-%2A.html", false),
            ("Disallow: /this/*/exactly", "/this/is/exactly/so", false),
            ("Disallow: /this/path/exactly$", "/this/path/exactly", false), ("Disallow: /this/path/exactly$", "/this/path/exactly/not", true),
            ("Disallow: /a # comment", "/a", false), ("Disallow:", "/a", true), ("Disallow: *", "/", false),
            ("Disallow: /*.php$", "/x.php/y.php", false),
        ])
    func special(line: String, target: String, isAllowed: Bool) {
        #expect(rules("User-agent: *\n" + line).allows(target) == isAllowed)
    }

    @Test("equal lengths: allow wins; groups of one name are read as one; other lines end no group; a mark at the start does no harm")
    func groups() {
        #expect(rules("User-agent: *\nDisallow: /page\nAllow: /page").allows("/page"))
        let merged = rules("User-agent: sotto\nDisallow: /a\n\nUser-agent: other\nDisallow: /b\n\nUser-agent: Sotto/2.0\nDisallow: /c")
        #expect(merged.allows("/a") == false && merged.allows("/b") && merged.allows("/c") == false)
        #expect(rules("User-agent: sotto\nSitemap: https://a/x\n\nDisallow: /a").allows("/a") == false)
        #expect(rules("\u{FEFF}User-agent: *\r\nDisallow: /a\r\nCrawl-delay: 2.5").allows("/a") == false)
        #expect(rules("User-agent: *\nCrawl-delay: 2.5").delay == 2.5)
        #expect(rules("Disallow: /").allows("/a"), "rules before any name are nobody's")
        #expect(rules("<!doctype html><p>not found: user-agent").allows("/"))
    }

    @Test(
        "rules that are made to cost time cost little, and close the host; of a file that is too long no half line is read", .timeLimit(.minutes(5)))
    func bounded() {
        let line = "Disallow: /*" + String(repeating: "a", count: 60) + "b$\n"
        let path = "/" + String(repeating: "a", count: 300)
        #expect(rules("User-agent: *\n" + String(repeating: line, count: 50)).allows(path))
        #expect(rules("User-agent: *\n" + String(repeating: line, count: 6_000)).allows(path) == false)
        #expect(rules("User-agent: *\n" + String(repeating: "Disallow: /x/" + String(repeating: "y", count: 77) + "\n", count: 6_000)).allows("/x/"))
    }
}
