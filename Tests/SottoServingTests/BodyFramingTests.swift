@testable import SottoServing
import Testing

@Suite struct BodyFramingTests {
    private static func head(_ fields: [(String, String)], minorVersion: Int = 1) throws -> RequestHead {
        RequestHead(method: .post, target: try RequestTarget("/"), minorVersion: minorVersion, headers: HTTPHeaders(fields.map { .init($0.0, $0.1) }))
    }

    @Test("a body's end is known from one field") func reads() throws {
        #expect(try BodyFraming(Self.head([])) == .none)
        #expect(try BodyFraming(Self.head([("Content-Length", "0")])) == .length(0))
        #expect(try BodyFraming(Self.head([("content-length", "0042")])) == .length(42))
        #expect(try BodyFraming(Self.head([("Transfer-Encoding", "Chunked")])) == .chunked)
    }

    struct Ambiguity: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: [(String, String)]
        var minorVersion = 1
        var status = 400
    }

    @Test("request smuggling is stopped", arguments: [
        Ambiguity(testDescription: "two lengths that differ", fields: [("Content-Length", "5"), ("Content-Length", "6")]),
        Ambiguity(testDescription: "two equal lengths", fields: [("Content-Length", "5"), ("Content-Length", "5")]),
        Ambiguity(testDescription: "two lengths in one field", fields: [("Content-Length", "5, 6")]),
        Ambiguity(testDescription: "two equal lengths in one field", fields: [("Content-Length", "5,5")]),
        Ambiguity(testDescription: "a length with a sign", fields: [("Content-Length", "+5")]),
        Ambiguity(testDescription: "a negative length", fields: [("Content-Length", "-1")]),
        Ambiguity(testDescription: "a hexadecimal length", fields: [("Content-Length", "0x5")]),
        Ambiguity(testDescription: "a length with an underscore", fields: [("Content-Length", "1_0")]),
        Ambiguity(testDescription: "a length with a fraction", fields: [("Content-Length", "5.0")]),
        Ambiguity(testDescription: "a length in other digits", fields: [("Content-Length", "٥")]),
        Ambiguity(testDescription: "an empty length", fields: [("Content-Length", "")]),
        Ambiguity(testDescription: "a length beyond every number", fields: [("Content-Length", "99999999999999999999")], status: 413),
        Ambiguity(testDescription: "CL.TE", fields: [("Content-Length", "5"), ("Transfer-Encoding", "chunked")]),
        Ambiguity(testDescription: "TE.CL", fields: [("Transfer-Encoding", "chunked"), ("Content-Length", "5")]),
        Ambiguity(testDescription: "TE.TE", fields: [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")]),
        Ambiguity(testDescription: "TE.TE in other case", fields: [("Transfer-Encoding", "chunked"), ("transfer-encoding", "chunked")]),
        Ambiguity(testDescription: "a coding after chunked", fields: [("Transfer-Encoding", "chunked, identity")], status: 501),
        Ambiguity(testDescription: "a coding before chunked", fields: [("Transfer-Encoding", "gzip, chunked")], status: 501),
        Ambiguity(testDescription: "a coding like chunked", fields: [("Transfer-Encoding", "xchunked")], status: 501),
        Ambiguity(testDescription: "chunked in quotation marks", fields: [("Transfer-Encoding", "\"chunked\"")], status: 501),
        Ambiguity(testDescription: "chunked with a parameter", fields: [("Transfer-Encoding", "chunked;a=b")], status: 501),
        Ambiguity(testDescription: "an empty coding", fields: [("Transfer-Encoding", "")], status: 501),
        Ambiguity(testDescription: "chunked in HTTP/1.0", fields: [("Transfer-Encoding", "chunked")], minorVersion: 0),
    ])
    func refuses(_ ambiguity: Ambiguity) throws {
        let head = try Self.head(ambiguity.fields, minorVersion: ambiguity.minorVersion)
        let problem = #expect(throws: Problem.self) { try BodyFraming(head) }
        #expect(problem?.status == ambiguity.status)
        #expect(problem?.closes == true, "what follows cannot be told apart, so the connection ends")
    }
}
