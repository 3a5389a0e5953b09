@testable import SottoServing
import Testing

@Suite struct StaticFilesTests {
    private static let files = StaticFiles(["index.html": Array("<p>".utf8), "js/app.js": Array("1".utf8), "docs/index.html": [], "odd": [0]])

    private static func get(_ path: String, _ fields: [HTTPHeaders.Field] = []) throws -> HTTPResponse {
        try files.response(path, RequestHead(method: .get, target: try RequestTarget("/"), headers: HTTPHeaders(fields)))
    }

    @Test(
        "files are found with their types, folders by their index",
        arguments: [
            ("", "text/html; charset=utf-8"), ("index.html", "text/html; charset=utf-8"), ("js/app.js", "text/javascript; charset=utf-8"),
            ("docs", "text/html; charset=utf-8"),
            ("odd", "application/octet-stream"),
        ])
    func finds(_ path: String, _ type: String) throws {
        let response = try Self.get(path)
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == type)
        #expect(response.headers["Cache-Control"] == "no-cache")
    }

    @Test(
        "nothing else exists",
        arguments: ["js", "js/", "../index.html", "/etc/passwd", "etc/passwd", "INDEX.HTML", "index.html/", "js/app.js/index.html"]) func nothingElse(
            _ path: String
        )
    {
        #expect(throws: Problem.self) { try Self.get(path) }
    }

    @Test(
        "a file that the client has already is not sent again",
        arguments: [("\(0)", false), ("*", true), ("TAG", true), ("W/TAG", true), ("\"a\", TAG", true), ("\"a\"", false)])
    func tags(_ field: String, _ isSame: Bool) throws {
        let tag = try #require(try Self.get("").headers["ETag"])
        let response = try Self.get("", [.init("If-None-Match", field.replacing("TAG", with: tag))])
        #expect(response.status == (isSame ? 304 : 200))
        #expect(response.headers["ETag"] == tag)
    }

    @Test("other contents have another tag") func otherTag() throws {
        #expect(try Self.get("").headers["ETag"] != Self.get("js/app.js").headers["ETag"])
    }
}
