/// Reads one request's body off its connection, as far as somebody asks for it.
actor BodyReader {
    private let connection: Connection
    private let maximum: Int
    private var framing: BodyFraming
    private var decoder = ChunkedDecoder()
    private var left = 0
    private var count = 0
    /// Whether the client waits to be told that its body is wanted (RFC 9110, 10.1.1).
    private var awaitsContinue: Bool
    private var failure: Problem?
    private(set) var isComplete: Bool

    /// - Parameter maximum: Of the decoded body, in bytes.
    init(connection: Connection, framing: BodyFraming, maximum: Int, awaitsContinue: Bool) {
        self.connection = connection
        self.framing = framing
        self.maximum = maximum
        switch framing {
        case .none: (isComplete, self.awaitsContinue) = (true, false)
        case .length(let length): (left, isComplete, self.awaitsContinue) = (length, length == 0, awaitsContinue && length > 0)
        case .chunked: (isComplete, self.awaitsContinue) = (false, awaitsContinue)
        }
    }

    /// The next piece, or `nil` after the last.
    ///
    /// - Throws: ``Problem`` 400, 408 or 413 and `CancellationError`.
    func next() async throws -> [UInt8]? {
        if let failure { throw failure }
        do {
            return try await piece()
        } catch let problem as Problem {
            failure = problem
            throw problem
        }
    }

    /// Reads what is left and throws it away, if that is little.
    ///
    /// - Returns: Whether the body is over, so that another request may follow.
    func discard() async -> Bool {
        if isComplete { return true }
        // A client that waits to be told sends nothing; and one that sends much is not waited for.
        guard awaitsContinue == false, failure == nil else { return false }
        if case .length = framing, left > connection.limits.discardedBodyBytes { return false }
        let before = count
        do {
            return try await connection.limit(connection.limits.lingerTime, for: "the rest of its body") {
                while try await self.piece() != nil { if self.count - before > self.connection.limits.discardedBodyBytes { return false } }
                return true
            }
        } catch { return false }
    }

    /// Whether ``discard()`` may succeed.
    var isDiscardable: Bool {
        if isComplete { return true }
        if awaitsContinue || failure != nil { return false }
        if case .length = framing { return left <= connection.limits.discardedBodyBytes }
        return true
    }

    private func piece() async throws -> [UInt8]? {
        while isComplete == false {
            if awaitsContinue {
                awaitsContinue = false
                try await connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
            let most = if case .length = framing { left } else { Int.max }
            let bytes: [UInt8]?
            do {
                bytes = try await connection.limit(connection.limits.bodyIdleTime, for: "the next piece of its body") {
                    try await self.connection.read(atMost: most)
                }
            } catch let error as ServingError where error.code == .timedOut {
                throw Problem.malformed(408, "body-too-slow", "the body of the request came too slowly; send it again")
            }
            guard let bytes else { throw Problem.malformed(400, "body-cut-off", "the body of the request ended too early") }
            let data = try take(bytes)
            count += data.count
            guard count <= maximum else { throw Self.tooLarge(maximum) }
            if data.isEmpty == false { return data }
        }
        return nil
    }

    private func take(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        switch framing {
        case .none: return []
        case .length:
            left -= bytes.count
            isComplete = left == 0
            return bytes
        case .chunked:
            let (data, used) = try decoder.append(bytes[...])
            isComplete = decoder.isComplete
            if used < bytes.count { connection.unread(Array(bytes[used...])) }
            return data
        }
    }

    static func tooLarge(_ maximum: Int) -> Problem {
        Problem.malformed(413, "body-too-large", "the body of the request is larger than the \(maximum) bytes allowed here; send less")
    }
}
