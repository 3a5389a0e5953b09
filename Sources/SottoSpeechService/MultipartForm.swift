import SottoServiceExchange
public import SottoStreams

/// A multipart/form-data body that is held in memory (RFC 7578).
public struct MultipartForm: Sendable {
    private var fields: [(name: String, bytes: [UInt8])] = []

    /// - Parameters:
    ///   - contentType: Of the request, with its boundary.
    ///   - limit: Bytes of all contents together.
    /// - Throws: ``ServiceError`` 400 for a body that is none, 413 for one that is too large; what the body throws.
    public init(contentType: String, body: ProducedSequence<[UInt8]>, limit: Int) async throws {
        do throws(MultipartParser.Fault) {
            _ = try MultipartParser(contentType: contentType)
        } catch { throw ServiceError(status: 400, error.message) }
        var parser = try MultipartParser(contentType: contentType)
        var total = 0
        for try await piece in body {
            let events: [MultipartParser.Event]
            do throws(MultipartParser.Fault) { events = try parser.append(piece) } catch { throw ServiceError(status: 400, error.message) }
            for event in events {
                switch event {
                case .part(let head): fields.append((head.name, []))
                case .data(let bytes):
                    total += bytes.count
                    guard total <= limit else { throw ServiceError(status: 413, "the form is larger than \(limit) bytes") }
                    fields[fields.count - 1].bytes += bytes
                case .partEnd: break
                }
            }
        }
        guard parser.isComplete else { throw ServiceError(status: 400, "the form ends in the middle") }
    }

    /// What the first part of that name holds; `nil` when there is none, or it is empty.
    public func bytes(_ name: String) -> [UInt8]? { fields.first { $0.name == name }.flatMap { $0.bytes.isEmpty ? nil : $0.bytes } }

    /// The same as text; `nil` when it is not UTF-8.
    public func text(_ name: String) -> String? { bytes(name).flatMap { String(validating: $0, as: UTF8.self) } }
}
