import Testing

@testable import SottoSpeechService

@Suite struct MultipartParserTests {
    /// As Python's urllib3 writes a form.
    private static let body = Array(
        """
        --b0undary\r
        Content-Disposition: form-data; name="model"\r
        \r
        whisper-1\r
        --b0undary\r
        Content-Disposition: form-data; name="file"; filename="sp\\"oken%22.wav"\r
        Content-Type: audio/x-wav\r
        \r
        RIFF\r
        --b0undar\r
        --b0undary\r
        Content-Disposition: form-data; name="prompt"\r
        \r
        \r
        --b0undary--\r

        """.utf8)

    private struct Part: Equatable {
        var head: MultipartParser.Head
        var contents: String
    }

    /// - Parameter size: Bytes at a time.
    private func parts(_ body: [UInt8], size: Int, type: String = "multipart/form-data; boundary=b0undary") throws -> (parts: [Part], isComplete: Bool) {
        var parser = try MultipartParser(contentType: type)
        var parts: [Part] = []
        var contents: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            for event in try parser.append(Array(body[start..<min(start + size, body.count)])) {
                switch event {
                case .part(let head):
                    parts.append(Part(head: head, contents: ""))
                    contents = []
                case .data(let bytes): contents += bytes
                case .partEnd: parts[parts.count - 1].contents = String(decoding: contents, as: UTF8.self)
                }
            }
        }
        return (parts, parser.isComplete)
    }

    @Test("however the bytes arrive, the parts are the same", arguments: [1, 2, 3, 5, 7, 11, 13, 64, 10_000])
    func sizes(size: Int) throws {
        let (parts, isComplete) = try parts(Self.body, size: size)
        #expect(isComplete)
        #expect(parts.map(\.head.name) == ["model", "file", "prompt"])
        #expect(parts.map(\.contents) == ["whisper-1", "RIFF\r\n--b0undar", ""])
        #expect(parts[1].head == .init(name: "file", fileName: "sp\"oken\".wav", contentType: "audio/x-wav"))
    }

    @Test("a body that ends early is not complete, and its last part has no end")
    func cut() throws {
        for length in [0, 10, 70, 150, Self.body.count - 5] {
            #expect(try parts(Array(Self.body.prefix(length)), size: 9).isComplete == false, "\(length)")
        }
    }

    @Test("text before the first boundary and after the last is no part; spaces may follow a boundary; a boundary may be quoted")
    func looseEnds() throws {
        let body = Array("preamble\r\n--x y  \r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x y--epilogue\r\n--x y\r\n".utf8)
        let (parts, isComplete) = try parts(body, size: 4, type: "multipart/form-data; charset=utf-8; boundary=\"x y\"")
        #expect(isComplete && parts.map(\.contents) == ["1"])
    }

    @Test("what is no form is a fault that says why", arguments: [
        ("--b0undary\r\nContent-Type: text/plain\r\n\r\n", "has no name"), ("--b0undary\r\nContent-Disposition: attachment; name=a\r\n\r\n", "not form-data"),
        ("--b0undary\r\nnonsense\r\n\r\n", "no colon"), ("--b0undaryX\r\n", "followed by something else"),
    ])
    func faults(body: String, reason: String) throws {
        let fault = #expect(throws: MultipartParser.Fault.self) { try parts(Array(body.utf8), size: 3) }
        #expect(fault?.message.contains(reason) == true, "\(String(describing: fault))")
    }

    @Test("a head without end, or thousands of parts, are refused before they fill the memory")
    func bounds() throws {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=b")
        _ = try parser.append(Array("--b\r\n".utf8))
        #expect(throws: MultipartParser.Fault.self) { for _ in 0..<100 { _ = try parser.append([UInt8](repeating: 0x41, count: 1_000)) } }
        let part = Array("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n".utf8)
        var other = try MultipartParser(contentType: "multipart/form-data; boundary=b")
        #expect(throws: MultipartParser.Fault.self) { for _ in 0..<1_100 { _ = try other.append(part) } }
    }

    @Test("a content type without a usable boundary is refused", arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "application/json; boundary=b", "", "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
    ])
    func contentTypes(type: String) {
        #expect(throws: MultipartParser.Fault.self) { try MultipartParser(contentType: type) }
    }
}
