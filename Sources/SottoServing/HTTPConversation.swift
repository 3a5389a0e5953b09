import SottoStreams

/// Answers one client: reads request after request off its connection, checks each, and sends what the route's handler makes of it.
///
/// The order of the checks is the order of what they protect: how the bytes are to be read, under whose name they came, whose page sent them, how
/// often, who it is; only then whether there is anything at the address, so that nobody without a proof learns what there is.
public struct HTTPConversation: Sendable {
    /// What is told about a request that could not be answered as its handler wanted.
    public typealias Report = @Sendable (_ target: String, _ error: any Error) -> Void

    private let router: Router
    private let policy: SecurityPolicy
    private let clock: any Clock<Duration>
    /// Seconds since 1970.
    private let now: @Sendable () -> Int
    /// Counts a request; the time to wait when there were too many.
    private let admit: @Sendable (_ address: String) -> Duration?
    private let report: Report

    public init(
        router: Router, policy: SecurityPolicy, clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Int,
        admit: @escaping @Sendable (_ address: String) -> Duration? = { _ in nil }, report: @escaping Report = { _, _ in }
    ) {
        self.router = router
        self.policy = policy
        self.clock = clock
        self.now = now
        self.admit = admit
        self.report = report
    }

    /// Returns when the connection is over; its output is ended then, and what is queued still goes out.
    ///
    /// The caller cancels it when ``Connection/gone`` is raised.
    public func run(_ connection: Connection) async {
        defer { connection.finish() }
        do {
            while connection.stopping.isCancelled == false {
                connection.enter(.waiting)
                guard let head = try await nextHead(connection) else { return }
                connection.enter(.answering)
                guard try await answer(head, connection) else { return }
            }
        } catch let problem as Problem {
            // The head itself was at fault, so nothing more can be read.
            try? await send(problem.response, connection, isHead: false, minorVersion: 1, isLast: true)
        } catch let error as ServingError where error.code == .timedOut {
            // Silence between requests needs no answer.
        } catch {
            connection.abort()
        }
    }

    // MARK: Reading

    /// Of a head, so that little of what follows it is taken and put back while more comes.
    private static let headPiece = 4 << 10

    private func nextHead(_ connection: Connection) async throws -> RequestHead? {
        let first = try await connection.limit(connection.limits.idleTime, for: "its next request") {
            try await connection.readIdle(atMost: Self.headPiece)
        }
        guard let first else { return nil }
        var parser = RequestHeadParser(limits: connection.limits)
        var bytes = first
        do {
            return try await connection.limit(connection.limits.headTime, for: "the head of its request") {
                while true {
                    if let (head, rest) = try parser.append(bytes) {
                        connection.unread(rest)
                        return head
                    }
                    guard let more = try await connection.read(atMost: Self.headPiece) else { return nil }
                    bytes = more
                }
            }
        } catch let error as ServingError where error.code == .timedOut {
            throw Problem.malformed(408, "head-too-slow", "the head of the request came too slowly; send it again")
        }
    }

    // MARK: Answering

    /// - Returns: Whether another request may follow.
    private func answer(_ head: RequestHead, _ connection: Connection) async throws -> Bool {
        let framing = try BodyFraming(head)
        let checked: Checked
        do {
            checked = try check(head, framing, connection)
        } catch {
            let reader = BodyReader(connection: connection, framing: framing, maximum: .max, awaitsContinue: head.awaitsContinue)
            return try await finish(error.response, head, reader, connection, mustClose: error.closes)
        }
        let reader = BodyReader(
            connection: connection, framing: framing, maximum: checked.route.body.maximumBytes, awaitsContinue: head.awaitsContinue)
        let request = HTTPRequest(
            head: head, parameters: checked.parameters, body: RequestBody(reader: reader), identity: checked.identity, address: connection.address,
            stopping: connection.stopping)
        switch checked.route.work {
        case .webSocket(let rules, let converse):
            try await upgrade(request, rules, converse, connection)
            return false
        case .answer(let handler):
            let (response, problem) = try await respond(request, handler, connection)
            return try await finish(response, head, reader, connection, mustClose: problem?.closes == true)
        }
    }

    private struct Checked {
        var route: Route
        var parameters: [String: String]
        var identity: Identity
    }

    private func check(_ head: RequestHead, _ framing: BodyFraming, _ connection: Connection) throws(Problem) -> Checked {
        try policy.checkHost(head)
        let found: Result<(route: Route, parameters: [String: String]), Problem>
        do { found = .success(try router.route(head.method, head.target)) } catch { found = .failure(error) }
        let access = (try? found.get().route.access) ?? .identified
        let isWebSocket = WebSocketHandshake.isAsked(head)
        try policy.checkOrigin(head, isLink: access == .open && isWebSocket == false)
        if let wait = admit(connection.address) {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            throw Problem(
                429, "too-many-requests", "too many requests; wait \(max(1, seconds)) s", headers: [.init("Retry-After", String(max(1, seconds)))])
        }
        let identity = try policy.identity(head)
        try policy.checkAccess(head, identity, access: access, needsOrigin: head.method.isSafe == false || isWebSocket)
        let (route, parameters) = try found.get()
        try Self.checkBody(head, framing, route.body)
        if let expectation = head.headers["Expect"], expectation.lowercased() != "100-continue" {
            throw Problem(417, "unknown-expectation", "the only expectation that this server meets is 100-continue")
        }
        return Checked(route: route, parameters: parameters, identity: identity)
    }

    private static func checkBody(_ head: RequestHead, _ framing: BodyFraming, _ rule: BodyRule) throws(Problem) {
        switch framing {
        case .none: return
        case .length(0): return
        case .length(let length):
            guard rule.contentTypes.isEmpty == false else { throw Problem(413, "no-body-expected", "this address takes no body; send none") }
            guard length <= rule.maximumBytes else { throw BodyReader.tooLarge(rule.maximumBytes) }
        case .chunked:
            guard rule.contentTypes.isEmpty == false else { throw Problem(413, "no-body-expected", "this address takes no body; send none") }
        }
        if let coding = head.headers["Content-Encoding"], coding.lowercased() != "identity" {
            throw Problem(415, "compressed-body", "this server takes no compressed bodies; send it as it is")
        }
        let types = head.headers.all("Content-Type")
        let type = types.first.map { HTTPText.trimmed($0.split(separator: ";", omittingEmptySubsequences: false)[0]).lowercased() }
        guard types.count == 1, let type, rule.contentTypes.contains(type) else {
            throw Problem(
                415, "wrong-content-type", "the body is to be \(rule.contentTypes.joined(separator: " or ")), and Content-Type is to say so")
        }
    }

    private func respond(
        _ request: HTTPRequest, _ handler: Route.Answer, _ connection: Connection
    ) async throws -> (HTTPResponse, Problem?) {
        do {
            return (try await connection.limit(connection.limits.bodyTime, for: "its whole body") { try await handler(request) }, nil)
        } catch let problem as Problem {
            return (problem.response, problem)
        } catch let error as ServingError where error.code == .timedOut {
            let problem = Problem.malformed(408, "body-too-slow", "the body of the request came too slowly; send it again")
            return (problem.response, problem)
        } catch {
            if error is CancellationError || connection.gone.isCancelled { throw CancellationError() }
            report(request.head.path, error)
            // What went wrong is nobody's business but the log's.
            let problem = Problem(500, "server-error", "the server failed at this; its log says why")
            return (problem.response, problem)
        }
    }

    private func upgrade(
        _ request: HTTPRequest, _ rules: WebSocketRules, _ converse: @escaping Route.Converse, _ connection: Connection
    ) async throws {
        let answer: HTTPHeaders
        do { answer = try WebSocketHandshake.answer(request.head) } catch {
            try await send(error.response, connection, isHead: request.head.method == .head, minorVersion: request.head.minorVersion, isLast: true)
            return
        }
        try await connection.write(try ResponseHead.bytes(status: 101, headers: answer))
        let session = WebSocketSession(connection: connection, rules: rules, clock: clock)
        let report = report
        await session.run {
            do { try await converse(request, session) } catch {
                let isOrdinary = error is CancellationError || error is ServingError || error is WebSocketFault
                if isOrdinary == false { report(request.head.path, error) }
                throw error
            }
        }
    }

    // MARK: Sending

    private func finish(
        _ response: HTTPResponse, _ head: RequestHead, _ reader: BodyReader, _ connection: Connection, mustClose: Bool
    ) async throws -> Bool {
        let isDiscardable = await reader.isDiscardable
        let isLast = mustClose || isDiscardable == false || head.keepsAlive == false || connection.stopping.isCancelled
        let prepared: Prepared
        do { prepared = try prepare(response, isHead: head.method == .head, minorVersion: head.minorVersion, isLast: isLast) } catch {
            // Nothing of it is sent yet, so another answer may take its place.
            report(head.path, error)
            let problem = Problem(500, "server-error", "the server failed at this; its log says why")
            try await send(problem.response, connection, isHead: head.method == .head, minorVersion: head.minorVersion, isLast: true)
            return false
        }
        do { try await send(prepared, connection) } catch {
            // A body that breaks off must not look whole.
            if error is CancellationError == false, connection.gone.isCancelled == false { report(head.path, error) }
            connection.abort()
            return false
        }
        guard isLast == false else { return false }
        return await reader.discard()
    }

    private struct Prepared {
        var head: [UInt8]
        var body: HTTPResponse.Body
        var isChunked = false
    }

    private func send(_ response: HTTPResponse, _ connection: Connection, isHead: Bool, minorVersion: Int, isLast: Bool) async throws {
        try await send(prepare(response, isHead: isHead, minorVersion: minorVersion, isLast: isLast), connection)
    }

    /// - Throws: ``ServingError`` `.badResponse`.
    private func prepare(_ response: HTTPResponse, isHead: Bool, minorVersion: Int, isLast: Bool) throws(ServingError) -> Prepared {
        guard response.status >= 200 else { throw ServingError(.badResponse, "a handler answered with status \(response.status)") }
        let body = HTTPStatus.hasNoBody(response.status) ? .whole([]) : response.body
        var headers = response.headers
        SecurityHeaders.add(to: &headers)
        headers.set("Date", HTTPDate.text(now()))
        headers.remove("Transfer-Encoding")
        var isLast = isLast
        let isChunked: Bool
        switch body {
        case .whole(let bytes):
            isChunked = false
            headers.remove("Content-Length")
            if HTTPStatus.hasNoBody(response.status) == false { headers.set("Content-Length", String(bytes.count)) }
        case .sized(_, let count):
            isChunked = false
            headers.set("Content-Length", String(count))
        case .stream, .live:
            headers.remove("Content-Length")
            // HTTP/1.0 knows the end of such a body by the end of the connection.
            isChunked = minorVersion == 1
            isLast = isLast || isChunked == false
            if isChunked { headers.set("Transfer-Encoding", "chunked") }
        }
        if isLast { headers.set("Connection", "close") }
        let head = try ResponseHead.bytes(status: response.status, headers: headers)
        return Prepared(head: head, body: isHead ? .whole([]) : body, isChunked: isChunked)
    }

    private func send(_ prepared: Prepared, _ connection: Connection) async throws {
        let isChunked = prepared.isChunked
        switch prepared.body {
        case .whole(let bytes): try await connection.write(prepared.head + bytes)
        case .sized(let pieces, let count):
            try await connection.write(prepared.head)
            try await send(pieces, count, connection)
        case .stream(let pieces):
            try await connection.write(prepared.head)
            try await send(pieces, connection, isChunked: isChunked)
        case .live(let pieces):
            try await connection.write(prepared.head)
            // Unstructured, because the server's stop must end it alone; it is awaited at once.
            let pump = Task { try await send(pieces, connection, isChunked: isChunked) }
            connection.stopping.onCancel { pump.cancel() }
            do {
                try await withTaskCancellationHandler {
                    try await pump.value
                } onCancel: {
                    pump.cancel()
                }
            } catch let error as CancellationError {
                guard connection.stopping.isCancelled, connection.gone.isCancelled == false else { throw error }
                if isChunked { try await connection.write(Self.lastChunk) }
            }
        }
    }

    /// - Throws: ``ServingError`` `.brokenBody`, before a byte too many is sent.
    private func send(_ pieces: ProducedSequence<[UInt8]>, _ count: Int, _ connection: Connection) async throws {
        var left = count
        for try await piece in pieces where piece.isEmpty == false {
            guard piece.count <= left else { throw ServingError(.brokenBody, "a handler's body is longer than the \(count) bytes that it told of") }
            left -= piece.count
            try await connection.write(piece)
        }
        guard left == 0 else { throw ServingError(.brokenBody, "a handler's body ended \(left) bytes before the \(count) that it told of") }
    }

    private static let lastChunk = Array("0\r\n\r\n".utf8)

    private func send(_ pieces: ProducedSequence<[UInt8]>, _ connection: Connection, isChunked: Bool) async throws {
        for try await piece in pieces where piece.isEmpty == false {
            try await connection.write(isChunked ? Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A] : piece)
        }
        if isChunked { try await connection.write(Self.lastChunk) }
    }
}

extension RequestHead {
    fileprivate var awaitsContinue: Bool { minorVersion == 1 && headers["Expect"]?.lowercased() == "100-continue" }

    /// Without the query, which may hold what is private.
    fileprivate var path: String { "\(method.rawValue) /" + target.segments.joined(separator: "/") }
}
