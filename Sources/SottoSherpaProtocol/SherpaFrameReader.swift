/// Cuts a stream of bytes into messages, whatever the pieces it comes in.
public struct SherpaFrameReader: Sendable {
    private var bytes: [UInt8] = []
    private var position = 0

    public init() {}

    /// Whether a message has begun that is not whole.
    public var isInMessage: Bool { position < bytes.count }

    public mutating func append(_ piece: some Sequence<UInt8>) { bytes += piece }

    /// The next message that is whole; `nil` until more has come.
    ///
    /// Nothing is kept for a message that is longer than allowed: its length alone is an error.
    /// - Throws: ``SherpaProtocolError``, after which the stream is of no use.
    public mutating func next() throws(SherpaProtocolError) -> SherpaFrame? {
        guard bytes.count - position >= 4 else { return compact() }
        let length = Int(SherpaFrame.number(bytes[position..<(position + 4)]))
        guard (SherpaFrame.headerLength...SherpaFrame.maximumLength).contains(length) else {
            throw SherpaProtocolError(
                .malformed, "a message says that it has \(length) bytes; \(SherpaFrame.headerLength) to \(SherpaFrame.maximumLength) are possible")
        }
        guard bytes.count - position - 4 >= length else { return compact() }
        let start = position + 4
        guard let kind = SherpaFrame.Kind(rawValue: bytes[start]) else {
            throw SherpaProtocolError(.malformed, "a message is of the unknown kind \(bytes[start]); both sides must be of the same version")
        }
        let frame = SherpaFrame(
            kind, request: SherpaFrame.number(bytes[(start + 1)..<(start + SherpaFrame.headerLength)]),
            payload: Array(bytes[(start + SherpaFrame.headerLength)..<(start + length)]))
        position = start + length
        return frame
    }

    private mutating func compact() -> SherpaFrame? {
        bytes.removeFirst(position)
        position = 0
        return nil
    }
}
