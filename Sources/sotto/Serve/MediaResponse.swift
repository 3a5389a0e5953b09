import Foundation
import SottoServing
import SottoStreams

/// Recordings, whole or in parts, as players ask for them (RFC 9110, 14).
enum MediaResponse {
    private static let piece = 64 << 10

    /// Answers with a file, read while it is sent.
    ///
    /// - Throws: ``Problem`` 404 when it is gone, 416 for a part that it does not have.
    static func file(_ path: String, type: String, _ request: HTTPRequest) throws -> HTTPResponse {
        guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int else {
            throw Problem(404, "not-found", "the recording is gone")
        }
        var headers = HTTPHeaders([.init("Content-Type", type), .init("Accept-Ranges", "bytes"), .init("Cache-Control", "private, no-cache")])
        guard let range = try request.head.headers["Range"].flatMap({ try ByteRange.parse($0, size: size) }) else {
            headers.add("Content-Length", "\(size)")
            return HTTPResponse(headers: headers, body: .stream(bytes(path, 0..<size)))
        }
        headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
        headers.add("Content-Length", "\(range.count)")
        return HTTPResponse(status: 206, headers: headers, body: .stream(bytes(path, range)))
    }

    private static func bytes(_ path: String, _ range: Range<Int>) -> ProducedSequence<[UInt8]> {
        ProducedSequence { emit in
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            try file.seek(toOffset: UInt64(range.lowerBound))
            var left = range.count
            while left > 0, let data = try file.read(upToCount: min(piece, left)), data.isEmpty == false {
                left -= data.count
                try await emit([UInt8](data))
            }
        }
    }
}

/// One part of a file.
enum ByteRange {
    /// - Returns: `nil` for a field that is to be ignored: another unit, or several parts.
    /// - Throws: ``Problem`` 416.
    static func parse(_ field: String, size: Int) throws -> Range<Int>? {
        guard field.lowercased().hasPrefix("bytes="), field.contains(",") == false else { return nil }
        let halves = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        guard halves.count == 2, halves.contains(where: { $0.isEmpty == false }), halves.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        let nowhere = Problem(416, "bad-range", "the recording has \(size) bytes", headers: [.init("Content-Range", "bytes */\(size)")])
        // Numbers that no file can have are beyond every end.
        func number(_ text: String) -> Int { Int(text) ?? Int.max }
        if halves[0].isEmpty {
            let last = min(number(halves[1]), size)
            guard last > 0 else { throw nowhere }
            return (size - last)..<size
        }
        let first = number(halves[0])
        let last = halves[1].isEmpty ? size - 1 : min(number(halves[1]), size - 1)
        guard first < size else { throw nowhere }
        return first <= last ? first..<(last + 1) : nil
    }
}
