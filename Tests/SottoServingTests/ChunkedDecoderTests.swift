@testable import SottoServing
import Testing

@Suite struct ChunkedDecoderTests {
    private static func decode(_ text: String, by size: Int) throws(Problem) -> (data: String, rest: String, isComplete: Bool) {
        var decoder = ChunkedDecoder()
        let bytes = Array(text.utf8)
        var data: [UInt8] = []
        var position = 0
        while position < bytes.count, decoder.isComplete == false {
            let end = min(position + size, bytes.count)
            let (piece, used) = try decoder.append(bytes[position..<end])
            data += piece
            position += used
        }
        return (String(decoding: data, as: UTF8.self), String(decoding: bytes[position...], as: UTF8.self), decoder.isComplete)
    }

    @Test(
        "bodies are decoded however they arrive",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("5\r\nhello\r\n06\r\n world\r\n0\r\n\r\n", "hello world"),
            ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("5;a=b;c=\"d\"\r\nhello\r\n0;e\r\n\r\n", "hello"),
            ("5\r\nhello\r\n0\r\nTrailer: x\r\nB: y\r\n\r\n", "hello"),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ], [1, 2, 3, 1_000])
    func decodes(_ example: (text: String, data: String), _ size: Int) throws {
        let result = try Self.decode(example.text + "GET /next", by: size)
        #expect(result.data == example.data)
        #expect(result.isComplete)
        #expect(result.rest == "GET /next")
    }

    @Test(
        "smuggling in a chunked body is stopped",
        arguments: [
            "\r\nhello", "g\r\n", "-1\r\n", "+5\r\nhello\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "5\nhello\r\n",
            "5\r\nhello!\r\n", "5\r\nhello\n0\r\n\r\n",
            "5\r\nhello\r0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\rhello", "fffffffff\r\n", "000000000005\r\nhello", "5;a\u{0}b\r\nhello",
            "5;\nhello\r\n", "0\r\nA: b\n\r\n", "0\r\n\n",
            "0\r\nA\u{0}: b\r\n\r\n", "5;" + String(repeating: "a", count: 300) + "\r\nhello",
            "0\r\n" + String(repeating: "A: b\r\n", count: 2_000) + "\r\n",
        ], [1, 1_000])
    func refuses(_ text: String, _ size: Int) {
        let problem = #expect(throws: Problem.self) { try Self.decode(text, by: size) }
        #expect(problem?.status == 400)
    }

    @Test("a body without its end is not complete", arguments: ["", "5", "5\r\nhel", "5\r\nhello\r\n", "0\r\n", "0\r\nA: b\r\n"])
    func incomplete(_ text: String) throws {
        #expect(try Self.decode(text, by: 1_000).isComplete == false)
    }
}
