internal import Foundation
internal import SottoSpeechEngines

/// The style vectors of every voice, read from a NumPy archive (`.npz`): a ZIP file whose members are stored, not compressed.
///
/// Only what such an archive needs is read: local members of version 1 `.npy` arrays of little-endian 32-bit floats in C order.
/// Sources: PKWARE APPNOTE 6.3.10 §4.3; NumPy NEP 1.
struct VoiceFile: Sendable {
    /// Values in one style vector.
    static let styleWidth = 256

    /// Voice name to its table: one row of ``styleWidth`` values for each count of tokens, from 1.
    private let tables: [String: [Float]]
    /// The mean of all voices, row by row; as many rows as the shortest table has.
    private let middle: [Float]
    /// How far the voices differ in each value: the standard deviation of their mean rows. Shape `[styleWidth]`.
    let spread: [Float]

    /// The voices' names, sorted.
    var names: [String] { tables.keys.sorted() }

    /// - Throws: ``SynthesisError`` `.modelNotLoaded` when the file is missing or not of this form.
    init(path: String) throws(SynthesisError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SynthesisError(.modelNotLoaded, "the voices at \(path) are missing; run `sotto models pull`")
        }
        guard let tables = Self.read([UInt8](data)), tables.isEmpty == false else {
            throw SynthesisError(.modelNotLoaded, "the voices at \(path) are damaged; run `sotto models verify`")
        }
        self.init(tables: tables)
    }

    private init(tables: [String: [Float]]) {
        self.tables = tables
        let voices = tables.keys.sorted().compactMap { tables[$0] }
        let count = Float(max(1, voices.count))
        middle = (0..<(voices.map(\.count).min() ?? 0)).map { index in voices.reduce(0) { $0 + $1[index] } / count }
        let means = voices.map(Self.meanRow)
        let mean = (0..<Self.styleWidth).map { index in means.reduce(0) { $0 + $1[index] } / count }
        spread = (0..<Self.styleWidth).map { index in
            (means.reduce(0) { $0 + ($1[index] - mean[index]) * ($1[index] - mean[index]) } / count).squareRoot()
        }
    }

    init?(bytes: [UInt8]) {
        guard let tables = Self.read(bytes), tables.isEmpty == false else { return nil }
        self.init(tables: tables)
    }

    /// The style of a voice for an input of so many tokens: row *n* − 1, the last row beyond the table.
    func style(of voice: String, tokens: Int) -> [Float]? {
        guard let table = tables[voice] else { return nil }
        let rows = table.count / Self.styleWidth
        let row = min(max(tokens, 1), rows) - 1
        return Array(table[(row * Self.styleWidth)..<((row + 1) * Self.styleWidth)])
    }

    /// The style of a voice that is not in the file: the middle of those that are, and an offset in units of ``spread``.
    func style(offset: [Float], tokens: Int) -> [Float] {
        let row = min(max(tokens, 1), middle.count / Self.styleWidth) - 1
        return (0..<Self.styleWidth).map { middle[row * Self.styleWidth + $0] + spread[$0] * offset[$0] }
    }

    /// A voice of the file as such an offset, for all rows the same.
    func offset(of voice: String) -> [Float]? {
        guard let table = tables[voice] else { return nil }
        let (own, all) = (Self.meanRow(table), Self.meanRow(middle))
        return (0..<Self.styleWidth).map { spread[$0] > 0 ? (own[$0] - all[$0]) / spread[$0] : 0 }
    }

    private static func meanRow(_ table: [Float]) -> [Float] {
        let rows = table.count / styleWidth
        return (0..<styleWidth).map { index in
            (0..<rows).reduce(0) { $0 + table[$1 * styleWidth + index] } / Float(max(1, rows))
        }
    }

    private static func read(_ bytes: [UInt8]) -> [String: [Float]]? {
        func integer(_ offset: Int, _ width: Int) -> Int? {
            guard offset >= 0, offset + width <= bytes.count else { return nil }
            return (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        // The end record stands in the last 22 bytes, or before a comment of at most 64 KiB.
        var end = bytes.count - 22
        let lowest = max(0, bytes.count - 22 - 65_535)
        while end >= lowest, integer(end, 4) != 0x0605_4B50 { end -= 1 }
        guard end >= lowest, let count = integer(end + 10, 2), var entry = integer(end + 16, 4) else { return nil }
        var tables: [String: [Float]] = [:]
        for _ in 0..<count {
            guard integer(entry, 4) == 0x0201_4B50, let method = integer(entry + 10, 2), let size = integer(entry + 24, 4),
                let nameLength = integer(entry + 28, 2), let extraLength = integer(entry + 30, 2), let commentLength = integer(entry + 32, 2),
                let local = integer(entry + 42, 4), entry + 46 + nameLength <= bytes.count, method == 0,
                integer(local, 4) == 0x0403_4B50, let localName = integer(local + 26, 2), let localExtra = integer(local + 28, 2)
            else { return nil }
            let name = String(decoding: bytes[(entry + 46)..<(entry + 46 + nameLength)], as: UTF8.self)
            let start = local + 30 + localName + localExtra
            guard start + size <= bytes.count else { return nil }
            if name.hasSuffix(".npy") {
                guard let table = array(bytes[start..<(start + size)]) else { return nil }
                tables[String(name.dropLast(4))] = table
            }
            entry += 46 + nameLength + extraLength + commentLength
        }
        return tables
    }

    private static func array(_ bytes: ArraySlice<UInt8>) -> [Float]? {
        let bytes = Array(bytes)
        guard bytes.count > 10, bytes.starts(with: [0x93] + Array("NUMPY".utf8)), bytes[6] == 1 else { return nil }
        let headerLength = Int(bytes[8]) | Int(bytes[9]) << 8
        let start = 10 + headerLength
        guard start <= bytes.count else { return nil }
        let header = String(decoding: bytes[10..<start], as: UTF8.self)
        let count = (bytes.count - start) / 4
        guard header.contains("'<f4'"), header.contains("'fortran_order': False"), count > 0, count % styleWidth == 0,
            (bytes.count - start) % 4 == 0
        else { return nil }
        return (0..<count).map { index in
            let at = start + index * 4
            return Float(bitPattern: UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16 | UInt32(bytes[at + 3]) << 24)
        }
    }
}
