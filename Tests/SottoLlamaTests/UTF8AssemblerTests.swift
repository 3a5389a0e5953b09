import Testing

@testable import SottoLlama

@Suite struct UTF8AssemblerTests {
    @Test("a text cut into bytes comes out whole, never with half a character")
    func bytes() {
        let text = "Zoë 🎈 日本語 ∑ a"
        var assembler = UTF8Assembler()
        var pieces: [String] = []
        for byte in text.utf8 { pieces.append(assembler.add([byte])) }
        #expect(pieces.joined() + assembler.finish() == text)
        #expect(pieces.allSatisfy { $0.contains("\u{FFFD}") == false })
    }

    @Test("bytes that are no character become U+FFFD and hold nothing up", arguments: [[0xFF], [0x80], [0xC3, 0x28], [0xF0, 0x9F, 0x41]] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        var assembler = UTF8Assembler()
        let text = assembler.add(bytes) + assembler.add(Array("x".utf8)) + assembler.finish()
        #expect(text.contains("\u{FFFD}"))
        #expect(text.hasSuffix("x"))
    }

    @Test("an answer that ends inside a character says so")
    func cut() {
        var assembler = UTF8Assembler()
        #expect(assembler.add([0xF0, 0x9F, 0x8E]) == "")
        #expect(assembler.finish() == "\u{FFFD}")
    }
}
