@testable import SottoServing
import Testing

@Suite struct RequestTargetTests {
    @Test(
        "paths are taken apart and decoded once",
        arguments: [
            ("/", []), ("/a", ["a"]), ("/a/b", ["a", "b"]), ("/a/", ["a"]), ("/%41", ["A"]), ("/%2541", ["%41"]), ("/a%20b", ["a b"]),
            ("/a+b", ["a+b"]),
            ("/...", ["..."]), ("/.hidden", [".hidden"]), ("/a..b", ["a..b"]), ("/%E2%82%AC", ["€"]), ("/a?b/../c", ["a"]),
        ] as [(String, [String])])
    func reads(_ text: String, _ segments: [String]) throws {
        #expect(try RequestTarget(text).segments == segments)
    }

    @Test(
        "traversal is refused",
        arguments: [
            "/..", "/../etc/passwd", "/a/../b", "/a/..", "/./a", "/.", "/%2e%2e/etc/passwd", "/%2E%2E", "/.%2e/a", "/%2e./a", "/..%2fetc", "/a%2fb",
            "/a%2Fb",
            "/..%5c..%5cwindows", "/a%5Cb", "/..\\a", "//etc/passwd", "/a//b", "///", "/a/%2e%2e%2fb", "/%00", "/a%00.html", "/a%0d%0ab",
            "/%c0%ae%c0%ae/a",
            "/%c0%afetc", "/%e0%80%af", "/%ff", "/%", "/%2", "/%2x", "/%u002e", "/a%7fb", "/a%c2%85b", "//evil.example/a",
        ])
    func refuses(_ text: String) {
        let problem = #expect(throws: Problem.self) { try RequestTarget(text) }
        #expect(problem?.status == 400)
    }

    @Test(
        "queries are decoded",
        arguments: [
            ("/?a=1&b=2", ["a=1", "b=2"]), ("/?a", ["a="]), ("/?", []), ("/?&&", []), ("/?a=b=c", ["a=b=c"]), ("/?a=%26%3D", ["a=&="]),
            ("/?a=1&a=2", ["a=1", "a=2"]),
            ("/?q=%2e%2e%2f", ["q=../"]),
        ] as [(String, [String])])
    func queries(_ text: String, _ items: [String]) throws {
        #expect(try RequestTarget(text).query.map { "\($0.name)=\($0.value)" } == items)
    }
}
