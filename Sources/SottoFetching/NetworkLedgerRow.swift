public import Foundation

/// One request: each redirect and each robots.txt is one of its own.
public struct NetworkLedgerRow: Sendable, Equatable {
    /// 0 until it is stored.
    public var id: Int64 = 0
    /// When it began.
    public var time: Date
    public var job: Int64?
    public var purpose: FetchRequest.Purpose
    /// What led to it, as the request said.
    public var origin: String
    public var method: FetchRequest.Method
    /// As normalized; as given when it could not be.
    public var url: String
    /// Empty when the address could not be read.
    public var host: String
    public var port: Int
    /// Bytes of the request's body.
    public var sentBytes: Int64
    public var ending: NetworkLedgerEnding

    public init(
        time: Date, job: Int64?, purpose: FetchRequest.Purpose, origin: String, method: FetchRequest.Method, url: String, host: String, port: Int,
        sentBytes: Int64 = 0, ending: NetworkLedgerEnding = NetworkLedgerEnding(.started)
    ) {
        self.time = time
        self.job = job
        self.purpose = purpose
        self.origin = origin
        self.method = method
        self.url = url
        self.host = host
        self.port = port
        self.sentBytes = sentBytes
        self.ending = ending
    }
}

/// How a request ended.
public struct NetworkLedgerEnding: Sendable, Equatable {
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// On its way, or broken off with the program.
        case started
        /// The server answered, whatever its status.
        case answered
        /// Nothing was opened.
        case refused
        /// Something was opened, and no whole answer came.
        case failed
        case cancelled
    }

    public var outcome: Outcome
    /// Why it did not end with an answer.
    public var reason: FetchError.Code?
    /// The numeric address that was dialed; empty when none was.
    public var address: String
    /// The address was checked and no other could be dialed. `false` behind a proxy, which looks names up by itself.
    public var isPinned: Bool
    /// 0 without an answer.
    public var status: Int
    /// Bytes of the answer's body as they crossed the network.
    public var receivedBytes: Int64

    public init(
        _ outcome: Outcome, reason: FetchError.Code? = nil, address: String = "", isPinned: Bool = true, status: Int = 0, receivedBytes: Int64 = 0
    ) {
        self.outcome = outcome
        self.reason = reason
        self.address = address
        self.isPinned = isPinned
        self.status = status
        self.receivedBytes = receivedBytes
    }
}
