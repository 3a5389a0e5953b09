/// What one fetch may cost.
public struct FetchLimits: Sendable, Equatable {
    /// Decoded bytes of a page or an answer of a search provider; the rest is not read, and the response says so.
    public var pageBytes = 1_200_000
    /// Bytes of a PDF file, which is of no use in part.
    public var portableBytes = 20_000_000
    /// Decoded bytes for one that crossed the network, from 128 KB decoded on. Pages seldom reach 20; gzip can reach 1 030.
    public var expansion = 100
    /// To look the name up, and again to connect and encrypt.
    public var connect: Duration = .seconds(10)
    /// Without a byte from the server.
    public var idle: Duration = .seconds(15)
    /// For the whole fetch with its redirects, without the time that pacing takes.
    public var total: Duration = .seconds(40)
    public var redirects = 5

    public init() {}
}
