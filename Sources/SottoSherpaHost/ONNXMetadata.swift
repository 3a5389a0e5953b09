internal import Foundation

/// What an ONNX file says of itself: the properties beside the network, read without loading it.
///
/// An ONNX file is one message of Protocol Buffers: fields of a number, a kind and a value; the network is field 7 and is stepped over,
/// the properties are field 14, each with a key (1) and a value (2).
public enum ONNXMetadata {
    private static let properties: UInt64 = 14
    /// Properties are short; a longer one is of no use here.
    private static let longest: UInt64 = 1 << 20

    /// - Throws: ``SherpaHostError`` `.modelRefused` when the file cannot be read or is no ONNX file.
    public static func read(_ path: String) throws(SherpaHostError) -> [String: String] {
        func refused(_ why: String) -> SherpaHostError { SherpaHostError(.modelRefused, "\(path) \(why); get the model again") }
        guard let file = FileHandle(forReadingAtPath: path) else { throw refused("cannot be read") }
        defer { try? file.close() }
        do {
            let size = try file.seekToEnd()
            try file.seek(toOffset: 0)
            var found: [String: String] = [:]
            var position: UInt64 = 0
            var isModel = false
            while position < size {
                guard let (tag, tagLength) = try varint(file), tag >> 3 > 0, tag >> 3 < 100 else { throw refused("is no ONNX file") }
                position += tagLength
                switch tag & 7 {
                case 0:
                    guard let (_, length) = try varint(file) else { throw refused("is cut short") }
                    position += length
                case 2:
                    guard let (length, bytes) = try varint(file), position + bytes + length <= size else {
                        throw refused("is cut short, or no ONNX file")
                    }
                    position += bytes
                    if tag >> 3 == properties, length < longest, let entry = try file.read(upToCount: Int(length)),
                        let pair = pair(in: [UInt8](entry))
                    {
                        found[pair.key] = pair.value
                    }
                    if tag >> 3 == 7 { isModel = true }
                    position += length
                    try file.seek(toOffset: position)
                default: throw refused("is no ONNX file")
                }
            }
            guard isModel else { throw refused("holds no network") }
            return found
        } catch let error as SherpaHostError {
            throw error
        } catch {
            throw SherpaHostError(.modelRefused, "\(path) cannot be read: \(error.localizedDescription)", cause: error)
        }
    }

    private static func varint(_ file: FileHandle) throws -> (value: UInt64, length: UInt64)? {
        var value: UInt64 = 0
        for index in 0..<UInt64(10) {
            guard let byte = try file.read(upToCount: 1)?.first else { return nil }
            value |= UInt64(byte & 0x7F) << (7 * index)
            if byte < 0x80 { return (value, index + 1) }
        }
        return nil
    }

    private static func pair(in bytes: [UInt8]) -> (key: String, value: String)? {
        var texts: [UInt8: String] = [:]
        var position = 0
        while position + 1 < bytes.count {
            let tag = bytes[position]
            position += 1
            guard tag & 7 == 2 else { return nil }
            var length = 0
            var shift = 0
            while position < bytes.count, shift < 28 {
                let byte = bytes[position]
                position += 1
                length |= Int(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            guard position + length <= bytes.count else { return nil }
            texts[tag >> 3] = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
            position += length
        }
        return texts[1].map { ($0, texts[2] ?? "") }
    }
}
