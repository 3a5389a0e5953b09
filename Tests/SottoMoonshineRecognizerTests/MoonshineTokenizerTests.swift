import SottoSpeechEngines
import Testing

@testable import SottoMoonshineRecognizer

@Suite struct MoonshineTokenizerTests {
    /// unk, s, /s, a space and a word, half of "é" twice, a marker, an empty token, a token of 130 bytes (130 = 130 − 128 + 128 · 1).
    private let file: [UInt8] = {
        let plain: [[UInt8]] = [
            Array("<unk>".utf8), Array("<s>".utf8), Array("</s>".utf8), Array("▁no!".utf8), [0xC3], [0xA9], Array("<<ST_7>>".utf8), [],
        ]
        var bytes: [UInt8] = []
        for token in plain { bytes += [UInt8(token.count)] + token }
        return bytes + [130, 1] + [UInt8](repeating: 0x61, count: 130)
    }()

    @Test func readsAndDecodes() throws {
        let tokenizer = try MoonshineTokenizer(bytes: file, vocabulary: 9)
        #expect(tokenizer.text(of: [1, 3, 3, 4, 5, 6, 7, 2]) == "no! no!é")
        #expect(tokenizer.bytes(of: 8).count == 130)
        #expect(tokenizer.text(of: [4]) == "\u{FFFD}")
        #expect(tokenizer.text(of: [99, -1, 0]).isEmpty)
    }

    @Test("a file cut anywhere is refused")
    func cut() {
        for length in 0..<file.count {
            let error = #expect(throws: RecognitionError.self) { try MoonshineTokenizer(bytes: Array(file[..<length]), vocabulary: 9) }
            #expect(error?.code == .modelNotLoaded)
        }
    }
}
