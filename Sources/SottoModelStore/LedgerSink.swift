public import Foundation

/// Receives one row for every request that left the machine for a model.
public protocol LedgerSink: Sendable {
    func record(_ row: ModelLedgerRow) async
}

/// One request for a model's bytes.
public struct ModelLedgerRow: Sendable, Equatable, Codable {
    public enum Outcome: String, Sendable, Codable { case done, failed, cancelled }

    /// When the request began.
    public var time: Date
    public var kind = "model"
    /// The model's id.
    public var model: String
    /// The package requirement or the address.
    public var source: String
    /// Bytes received by this request.
    public var bytes: Int64
    public var outcome: Outcome
    /// Why it failed.
    public var reason: String?

    public init(time: Date, model: String, source: String, bytes: Int64, outcome: Outcome, reason: String? = nil) {
        self.time = time
        self.model = model
        self.source = source
        self.bytes = bytes
        self.outcome = outcome
        self.reason = reason
    }
}

/// Appends rows to a file, one JSON object a line, each in one write.
public struct JSONLinesLedger: LedgerSink {
    private let path: String
    private let failed: @Sendable (ModelStoreError) -> Void

    /// - Parameters:
    ///   - folder: The data folder; made when missing. The file is `ledger.jsonl` in it.
    ///   - failed: Told when a row cannot be written; the pull goes on.
    public init(folder: String, failed: @escaping @Sendable (ModelStoreError) -> Void = { _ in }) {
        path = folder + "/ledger.jsonl"
        self.failed = failed
    }

    public func record(_ row: ModelLedgerRow) async {
        do {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let line = try encoder.encode(row) + Data([UInt8(ascii: "\n")])
            try StoreFolder.make((path as NSString).deletingLastPathComponent)
            let file = try OpenFile(path, .append)
            try StoreFolder.write(line, to: file)
        } catch let error as ModelStoreError {
            failed(error)
        } catch {
            failed(ModelStoreError(.fileFailed, "cannot write \(path): \(error)", cause: error))
        }
    }
}
