@testable import SottoServing
import Testing

@Suite struct ByteRangeTests {
    @Test(
        "the examples of RFC 9110, 14.1.2, of a resource of 10 000 bytes",
        arguments: [
            ("bytes=0-499", ByteRange.part(0..<500)), ("bytes=500-999", .part(500..<1_000)), ("bytes=-500", .part(9_500..<10_000)),
            ("bytes=9500-", .part(9_500..<10_000)), ("bytes=0-", .part(0..<10_000)), ("bytes=0-0", .part(0..<1)), ("bytes=-1", .part(9_999..<10_000)),
            // Several at once are answered with the whole.
            ("bytes=0-0,-1", .whole), ("bytes= 0-0, 4500-5499, -1", .whole), ("bytes=500-600,601-999", .whole),
        ])
    func examples(_ field: String, _ range: ByteRange) { #expect(ByteRange.parse(field, count: 10_000) == range) }

    @Test(
        "what lies beyond the end is cut, or refused when nothing is left",
        arguments: [
            ("bytes=9999-20000", ByteRange.part(9_999..<10_000)), ("bytes=-20000", .part(0..<10_000)), ("bytes=10000-", .unsatisfiable),
            ("bytes=10000-10000", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=0-99999999999999999999999999", .part(0..<10_000)),
            ("bytes=99999999999999999999999999-", .unsatisfiable), ("bytes=-99999999999999999999999999", .part(0..<10_000)),
            ("bytes=9223372036854775807-9223372036854775807", .unsatisfiable), ("bytes=0-9223372036854775807", .part(0..<10_000)),
        ])
    func beyond(_ field: String, _ range: ByteRange) { #expect(ByteRange.parse(field, count: 10_000) == range) }

    @Test(
        "what is no range of bytes asks for the whole",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=+1-2", "bytes=1-+2", "bytes=1 - 2", "bytes=--1", "bytes=1-2-3",
            "lines=0-5",
            "bytes 0-5", "bytes=٣-", "bytes=0x1-2", "bytes=,",
        ])
    func nonsense(_ field: String) { #expect(ByteRange.parse(field, count: 10_000) == .whole) }

    @Test("a list may have empty members, and the unit any case", arguments: ["bytes=,0-4,", "Bytes=0-4", "bytes= \t0-4 "])
    func lenient(_ field: String) { #expect(ByteRange.parse(field, count: 10_000) == .part(0..<5)) }

    @Test("of nothing there is no part", arguments: [("bytes=0-", ByteRange.unsatisfiable), ("bytes=0-0", .unsatisfiable), ("bytes=-5", .whole)])
    func empty(_ field: String, _ range: ByteRange) { #expect(ByteRange.parse(field, count: 0) == range) }

    @Test(
        "a part is sent only of what the client has the beginning of",
        arguments: [
            (["\"a\""], ByteRange.part(0..<5)), (["\"b\""], .whole), (["W/\"a\""], .whole), (["Sun, 06 Nov 1994 08:49:37 GMT"], .whole),
            (["\"a\"", "\"a\""], .whole), ([], .part(0..<5)),
        ])
    func conditions(_ conditions: [String], _ range: ByteRange) throws {
        let fields = [HTTPHeaders.Field("Range", "bytes=0-4")] + conditions.map { HTTPHeaders.Field("If-Range", $0) }
        let head = RequestHead(method: .get, target: try RequestTarget("/"), headers: HTTPHeaders(fields))
        #expect(ByteRange.asked(head, count: 10, tag: "\"a\"") == range)
        #expect(ByteRange.asked(head, count: 10, tag: nil) == (conditions.isEmpty ? range : .whole))
        // A weak tag says nothing about bytes.
        #expect(ByteRange.asked(head, count: 10, tag: "W/\"a\"") == (conditions.isEmpty ? range : .whole))
    }

    @Test("other methods and doubled fields have no ranges") func others() throws {
        let field = HTTPHeaders.Field("Range", "bytes=0-4")
        let head = RequestHead(method: .head, target: try RequestTarget("/"), headers: HTTPHeaders([field]))
        #expect(ByteRange.asked(head, count: 10, tag: nil) == .whole)
        let doubled = RequestHead(method: .get, target: try RequestTarget("/"), headers: HTTPHeaders([field, field]))
        #expect(ByteRange.asked(doubled, count: 10, tag: nil) == .whole)
    }
}
