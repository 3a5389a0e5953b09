import Foundation
import SottoLanguageModels
import Testing

@testable import SottoLlama

@Suite struct GGUFHeaderTests {
    /// Writes a header as the GGUF specification lays it out.
    private func header(version: UInt32 = 3, keys: [(String, UInt32, [UInt8])], count: UInt64? = nil) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) } }
        func string(_ text: String) -> [UInt8] { bytes(UInt64(text.utf8.count)) + Array(text.utf8) }
        return Array("GGUF".utf8) + bytes(version) + bytes(UInt64(7)) + bytes(count ?? UInt64(keys.count))
            + keys.flatMap { string($0.0) + bytes($0.1) + $0.2 }
    }

    private var typical: [UInt8] {
        let name = Array("qwen2".utf8)
        return header(keys: [
            ("general.architecture", 8, [5, 0, 0, 0, 0, 0, 0, 0] + name),
            ("a", 9, [6, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 8)),
            ("qwen2.context_length", 4, [0, 128, 0, 0]), ("b", 7, [1]),
        ])
    }

    @Test("architecture and context length are read past other keys")
    func reads() throws {
        let header = try #require(GGUFHeader(prefix: typical))
        #expect(header.architecture == "qwen2")
        #expect(header.contextLength == 32_768)
    }

    @Test("cut or damaged anywhere, it is refused or read without the rest, never worse")
    func damage() {
        for length in 0..<typical.count { _ = GGUFHeader(prefix: Array(typical.prefix(length))) }
        var random = SystemRandomNumberGenerator()
        for index in typical.indices {
            for _ in 0..<20 {
                var damaged = typical
                damaged[index] = UInt8.random(in: 0...255, using: &random)
                _ = GGUFHeader(prefix: damaged)
            }
        }
        #expect(GGUFHeader(prefix: header(keys: [], count: .max)) == nil)
        #expect(GGUFHeader(prefix: header(version: 1, keys: [])) == nil)
        #expect(GGUFHeader(prefix: header(keys: [("general.architecture", 8, [255, 255, 255, 255, 255, 255, 255, 255])])) == nil)
    }

    @Test("a missing file, a folder and a web page say what to do")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let page = folder.appendingPathComponent("page.gguf")
        try Data("<!doctype html><title>404</title>".utf8).write(to: page)
        let empty = folder.appendingPathComponent("empty.gguf")
        try Data().write(to: empty)
        for path in [folder.path + "/none.gguf", folder.path, page.path, empty.path] {
            #expect { try GGUFHeader.read(path: path) } throws: { error in
                guard let error = error as? LanguageModelError else { return false }
                return error.code == .modelNotLoaded && error.message.contains("sotto models") && error.message.contains(path)
            }
        }
    }
}
