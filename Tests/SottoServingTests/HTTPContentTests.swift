@testable import SottoServing
import SottoStreams
import Synchronization
import Testing

@Suite struct HTTPContentTests {
    struct Unforeseen: Error {}

    private static let letters = Array("abcdefghij".utf8)

    private static func sized(_ pieces: [[UInt8]], told: Int) -> HTTPContent {
        HTTPContent(type: "audio/wav", count: told) { _ in ProducedSequence { emit in for piece in pieces { try await emit(piece) } } }
    }

    static let routes: [Route] = [
        .read("/letters", access: .open) { request in .content(HTTPContent(letters, type: "text/x", tag: "\"t\""), for: request.head) },
        .read("/stream", access: .open) { request in
            let content = HTTPContent(type: "audio/wav", count: 10, tag: "\"s\"") { part in
                ProducedSequence { emit in for index in part { try await emit([letters[index]]) } }
            }
            return .content(content, for: request.head)
        },
        .read("/short", access: .open) { request in .content(sized([[65], [66]], told: 3), for: request.head) },
        .read("/long", access: .open) { request in .content(sized([[65], [66, 67]], told: 2), for: request.head) },
        .read("/nothing", access: .open) { _ in HTTPResponse(status: 204, body: .stream(ProducedSequence { emit in try await emit([65]) })) },
        .read("/interim", access: .open) { _ in HTTPResponse(status: 150) },
        .read("/late-fault", access: .open) { _ in
            HTTPResponse(
                body: .stream(
                    ProducedSequence { emit in
                        try await emit([65])
                        throw ServingError(.badResponse, "late")
                    }))
        },
    ]

    private static func get(_ path: String, _ fields: String = "", method: String = "GET") async -> String {
        let conversation = HTTPConversationTests.conversation(routes: routes)
        return await HTTPConversationTests.exchange("\(method) \(path) HTTP/1.1\r\n\(HTTPConversationTests.own)\(fields)\r\n", conversation)
    }

    /// What a parser of messages that knows nothing of this server sees: status, fields, body.
    private static func parts(_ output: String) -> (status: String, fields: [String], body: String) {
        let halves = output.replacing("\r\n\r\n", with: "\u{0}", maxReplacements: 1).split(separator: "\u{0}", omittingEmptySubsequences: false)
        let lines = halves[0].split(separator: "\r\n").map(String.init)
        return (lines.first ?? "", Array(lines.dropFirst()), halves.count > 1 ? String(halves[1]) : "")
    }

    @Test("the whole, a part, its end, or that there is none", arguments: ["/letters", "/stream"]) func parts(_ path: String) async {
        let whole = Self.parts(await Self.get(path))
        #expect(whole.status == "HTTP/1.1 200 OK" && whole.body == "abcdefghij")
        #expect(whole.fields.contains("Accept-Ranges: bytes") && whole.fields.contains("Content-Length: 10"))
        #expect(whole.fields.contains { $0.hasPrefix("Content-Range") || $0.hasPrefix("Transfer-Encoding") } == false)
        let part = Self.parts(await Self.get(path, "Range: bytes=2-4\r\n"))
        #expect(part.status == "HTTP/1.1 206 Partial Content" && part.body == "cde")
        #expect(part.fields.contains("Content-Range: bytes 2-4/10") && part.fields.contains("Content-Length: 3"))
        let end = Self.parts(await Self.get(path, "Range: bytes=-1\r\n"))
        #expect(end.status == "HTTP/1.1 206 Partial Content" && end.body == "j" && end.fields.contains("Content-Range: bytes 9-9/10"))
        let beyond = Self.parts(await Self.get(path, "Range: bytes=10-\r\n"))
        #expect(beyond.status == "HTTP/1.1 416 Range Not Satisfiable" && beyond.fields.contains("Content-Range: bytes */10"))
        #expect(beyond.body.contains("range-not-satisfiable"))
        let changed = Self.parts(await Self.get(path, "Range: bytes=2-4\r\nIf-Range: \"old\"\r\n"))
        #expect(changed.status == "HTTP/1.1 200 OK" && changed.body == "abcdefghij")
    }

    @Test("HEAD tells what GET would, without the body, and knows no parts", arguments: ["/letters", "/stream"]) func head(_ path: String) async {
        let head = Self.parts(await Self.get(path, method: "HEAD"))
        #expect(head.fields == Self.parts(await Self.get(path)).fields)
        #expect(head.status == "HTTP/1.1 200 OK" && head.body.isEmpty)
        #expect(Self.parts(await Self.get(path, "Range: bytes=2-4\r\n", method: "HEAD")).fields.contains("Content-Length: 10"))
    }

    @Test("what the client has is not sent, in part or whole") func has() async {
        for fields in ["If-None-Match: \"t\"\r\n", "If-None-Match: \"x\", W/\"t\"\r\nRange: bytes=2-4\r\n"] {
            let same = Self.parts(await Self.get("/letters", fields))
            #expect(same.status == "HTTP/1.1 304 Not Modified" && same.body.isEmpty)
            #expect(same.fields.contains("ETag: \"t\"") && same.fields.contains("Cache-Control: no-cache"))
            #expect(same.fields.contains { $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding") } == false)
        }
        let other = Self.parts(await Self.get("/letters", "If-None-Match: \"x\"\r\nRange: bytes=2-4\r\n"))
        #expect(other.status == "HTTP/1.1 206 Partial Content" && other.body == "cde")
    }

    @Test(
        "a body of another size than was told breaks the connection, and nothing too much is sent",
        arguments: [("/short", "AB<aborted>"), ("/long", "A<aborted>")])
    func wrongSize(_ path: String, _ body: String) async {
        let answer = await Self.get(path + "?x", "")
        // An abort drops what is queued; what had been taken by then is the beginning of what was told.
        let sent = answer.replacing("<aborted>", with: "")
        #expect(answer.hasSuffix("<aborted>"))
        #expect(sent.isEmpty || body.hasPrefix(Self.parts(sent).body))
    }

    @Test("a status that has no body gets none, whatever the handler gave") func nothing() async {
        let answer = Self.parts(await Self.get("/nothing"))
        #expect(answer.status == "HTTP/1.1 204 No Content" && answer.body.isEmpty)
        #expect(answer.fields.contains { $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding") } == false)
    }

    @Test("an interim status is no answer") func interim() async {
        #expect(await HTTPConversationTests.statuses(Self.get("/interim")) == [500])
    }

    @Test("a fault in the middle of a stream never becomes a second answer") func lateFault() async {
        let answer = await Self.get("/late-fault")
        #expect(answer.hasSuffix("<aborted>"))
        #expect(answer.contains("HTTP/1.1 500") == false)
    }
}
