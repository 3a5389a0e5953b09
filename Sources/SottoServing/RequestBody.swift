public import SottoStreams

/// The body of a request while it arrives: read it piece by piece, or whole.
///
/// Nothing is read ahead of the handler but what the connection's buffer holds, so a client that sends faster than it is served waits.
public struct RequestBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    let reader: BodyReader

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// The whole body; its size is bounded by the route's rule.
    ///
    /// - Throws: ``Problem`` 400, 408 or 413, and `CancellationError`.
    public func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self { bytes += piece }
        return bytes
    }

    /// The same as the sequence that features take.
    public var produced: ProducedSequence<[UInt8]> {
        ProducedSequence { emit in for try await piece in self { try await emit(piece) } }
    }

    public struct Iterator: AsyncIteratorProtocol {
        let reader: BodyReader

        public mutating func next() async throws -> [UInt8]? { try await reader.next() }
    }
}
