import SottoSherpaProtocol
import Testing

@Suite struct SherpaFrameTests {
    @Test("a message on the wire is as the protocol says")
    func bytes() throws {
        // By hand: length 5 + 8, kind 4, request 258, two floats.
        #expect(
            try SherpaFrame(.feed, request: 258, samples: [1, -0.5]).encoded() == [13, 0, 0, 0, 4, 2, 1, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0xBF])
        #expect(try SherpaFrame(cancelling: 0x0102_0304, as: 0).encoded() == [9, 0, 0, 0, 9, 0, 0, 0, 0, 4, 3, 2, 1])
    }

    @Test("messages come out of a stream whole, whatever its pieces", arguments: [1, 2, 3, 7, 64, 100_000])
    func pieces(length: Int) throws {
        let frames = [
            try SherpaFrame(.describe, request: 1, json: SherpaGreeting()), SherpaFrame(.begin, request: 2),
            SherpaFrame(.feed, request: 3, samples: (0..<500).map { Float($0) / 500 }), SherpaFrame(.done, request: .max),
        ]
        let bytes = try frames.flatMap { try $0.encoded() }
        var reader = SherpaFrameReader()
        var read: [SherpaFrame] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            reader.append(bytes[start..<min(bytes.count, start + length)])
            while let frame = try reader.next() { read.append(frame) }
        }
        #expect(read == frames)
        #expect(reader.isInMessage == false)
        #expect(try read[0].value(SherpaGreeting.self) == SherpaGreeting())
        #expect(try read[2].samples().last == 499 / 500)
    }

    @Test(
        "what is no message is an error at once, and nothing is kept for it",
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [4, 0, 0, 0, 1, 0, 0, 0], [1, 0, 0x40, 0, 1], [5, 0, 0, 0, 99, 0, 0, 0, 0],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        var reader = SherpaFrameReader()
        reader.append(bytes)
        #expect(throws: SherpaProtocolError.self) { try reader.next() }
    }

    @Test("a message that is too long is not written, and samples that are none are not read")
    func limits() throws {
        #expect(throws: SherpaProtocolError.self) {
            try SherpaFrame(.feed, request: 1, payload: [UInt8](repeating: 0, count: SherpaFrame.maximumLength)).encoded()
        }
        _ = try SherpaFrame(.feed, request: 1, samples: [Float](repeating: 0, count: SherpaFrame.maximumSamples)).encoded()
        #expect(throws: SherpaProtocolError.self) { try SherpaFrame(.feed, request: 1, payload: [1, 2, 3]).samples() }
        #expect(throws: SherpaProtocolError.self) { try SherpaFrame(.audio, request: 1, samples: [.nan]).samples() }
        #expect(throws: SherpaProtocolError.self) { try SherpaFrame(.load, request: 1, payload: Array("{".utf8)).value(SherpaLoad.self) }
        #expect(throws: SherpaProtocolError.self) { try SherpaFrame(.cancel, request: 1, payload: [1]).cancelledRequest() }
    }
}
