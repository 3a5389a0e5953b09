import Foundation

/// The text tokens of a Whisper vocabulary as CTranslate2 writes it: one a line, in the printable alphabet of GPT-2's tokenizer.
struct WhisperVocabularyFile {
    /// Text tokens; what follows in the file are control tokens, which whisper.cpp makes itself.
    static let textTokens = 50_257
    private static let mostBytes = 4 << 20

    /// The bytes of each text token, by number; the last one has none.
    let tokens: [[UInt8]]

    /// - Throws: ``ModelStoreError`` `.sourceFailed`, `.fileFailed`.
    init(_ path: String) throws {
        guard let facts = FileFacts.of(path), facts.size <= Self.mostBytes else {
            throw CTranslate2Weights.fault(path, "a vocabulary of this size is not known")
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ModelStoreError(.fileFailed, "cannot read \(path): \(error.localizedDescription)", cause: error)
        }
        let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count >= Self.textTokens else { throw CTranslate2Weights.fault(path, "it has \(lines.count) lines instead of \(Self.textTokens) or more") }
        tokens = try lines.prefix(Self.textTokens).enumerated().map { index, line throws in
            guard let text = String(validating: line, as: UTF8.self), let bytes = Self.bytes(of: text) else {
                throw CTranslate2Weights.fault(path, "line \(index + 1) is no token")
            }
            return bytes
        }
    }

    /// What a token in the printable alphabet stands for; `nil` for a character outside it.
    static func bytes(of token: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in token.unicodeScalars {
            guard let byte = alphabet[scalar.value] else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Printable bytes stand for themselves; the others, in order, for the characters from U+0100 on. Source: openai/gpt-2 `encoder.py`, `bytes_to_unicode`.
    private static let alphabet: [UInt32: UInt8] = {
        var alphabet: [UInt32: UInt8] = [:]
        var next: UInt32 = 256
        for byte in UInt8.min...UInt8.max {
            if (33...126).contains(byte) || (161...172).contains(byte) || byte >= 174 {
                alphabet[UInt32(byte)] = byte
            } else {
                alphabet[next] = byte
                next += 1
            }
        }
        return alphabet
    }()
}
