import Foundation
import SottoLanguageModels

/// What must be known of a model file before llama.cpp reads it: that it is one, and how long its context may be.
///
/// Source: the GGUF specification, versions 2 and 3 (ggml `docs/gguf.md`); little-endian.
struct GGUFHeader: Equatable {
    /// As in `qwen2`.
    var architecture: String
    /// Tokens, as trained.
    var contextLength: Int?

    /// How much of a file is looked at: the model's own settings come before its vocabulary.
    private static let prefixLength = 1 << 20

    /// Reads the beginning of a file.
    ///
    /// - Throws: ``LanguageModelError`` with `.modelNotLoaded`: missing, unreadable, empty, or another kind of file.
    static func read(path: String) throws(LanguageModelError) -> GGUFHeader {
        let prefix: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            prefix = try file.read(upToCount: prefixLength) ?? Data()
        } catch {
            throw LanguageModelError(
                .modelNotLoaded, "there is no readable language model at \(path); run `sotto models pull`", cause: error)
        }
        guard let header = GGUFHeader(prefix: Array(prefix)) else {
            throw LanguageModelError(
                .modelNotLoaded, "\(path) is not a language model in GGUF format, or it is damaged; run `sotto models verify`")
        }
        return header
    }

    /// - Parameter prefix: The first bytes of a file.
    init?(prefix: [UInt8]) {
        var reader = Reader(bytes: prefix)
        guard reader.take(4) == Array("GGUF".utf8)[...], let version = reader.integer(4), version == 2 || version == 3,
            reader.integer(8) != nil, let count = reader.integer(8), count < 1 << 16
        else { return nil }
        var values: [String: Value] = [:]
        for _ in 0..<count {
            guard let key = reader.string(), let type = reader.integer(4), let value = reader.value(type) else { break }
            values[key] = value
            if case .text(let name)? = values["general.architecture"], values[name + ".context_length"] != nil { break }
        }
        guard case .text(let name)? = values["general.architecture"] else { return nil }
        architecture = name
        if case .number(let length)? = values[name + ".context_length"] { contextLength = length }
    }

    private enum Value: Equatable { case number(Int), text(String), other }

    /// Never reads past the end, whatever the lengths in the file say.
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count >= 0, count <= bytes.count - position else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
        }

        /// An unsigned integer of so many bytes that fits an `Int`.
        mutating func integer(_ size: Int) -> Int? {
            guard let slice = take(size) else { return nil }
            return Int(exactly: slice.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }

        mutating func string() -> String? {
            guard let count = integer(8), let slice = take(count) else { return nil }
            return String(decoding: slice, as: UTF8.self)
        }

        mutating func value(_ type: Int) -> Value? {
            switch type {
            case 0, 1, 7: take(1).map { _ in .other }
            case 2, 3: take(2).map { _ in .other }
            case 4: integer(4).map { .number($0) }
            case 5, 6: take(4).map { _ in .other }
            case 8: string().map { .text($0) }
            case 9: array()
            case 10: integer(8).map { .number($0) }
            case 11, 12: take(8).map { _ in .other }
            default: nil
            }
        }

        private mutating func array() -> Value? {
            guard let type = integer(4), type != 9, let count = integer(8) else { return nil }
            for _ in 0..<count {
                guard value(type) != nil else { return nil }
            }
            return .other
        }
    }
}
