/// Cuts a stream of bytes into frames, however the bytes arrive. Does no I/O.
struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0
    private let maximumLength: Int

    /// - Parameter maximumLength: Of one frame, its length field left out; a longer one is refused before it is kept.
    init(maximumLength: Int = Frame.maximumLength) {
        self.maximumLength = maximumLength
    }

    /// Whether a frame has begun that is not whole: an end of the stream is then a cut.
    var isInsideFrame: Bool { start < buffer.count }

    mutating func append(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next whole frame; `nil` when more bytes are needed.
    ///
    /// - Throws: ``OwnershipError`` `.badMessage`; nothing that follows can be trusted then.
    mutating func next() throws(OwnershipError) -> Frame? {
        guard buffer.count - start >= 4 else { return nil }
        let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        guard (1...maximumLength).contains(length) else {
            throw OwnershipError(.badMessage, "a message of \(length) bytes was announced, and 1 to \(maximumLength) are allowed")
        }
        guard buffer.count - start >= 4 + length else { return nil }
        let frame = try Frame(kind: buffer[start + 4], payload: buffer[start + 5..<start + 4 + length])
        start += 4 + length
        // Moved seldom, so that many small frames in one piece cost linear time.
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.count < 1 << 16)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        return frame
    }
}
