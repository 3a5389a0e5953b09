import SottoStreams

/// A log's events for clients: as server-sent events, and over a WebSocket, with the same ids.
public enum EventFeed {
    /// Where a client wants to go on: `Last-Event-ID`, which browsers send when they connect again, else `?after=`.
    ///
    /// - Returns: `nil` for new events only.
    /// - Throws: ``Problem`` 400 for an id that no log wrote.
    public static func position(_ head: RequestHead) throws(Problem) -> EventID? {
        guard let text = head.headers["Last-Event-ID"] ?? head.target.queryValue("after") else { return nil }
        guard let id = EventID(text) else {
            throw Problem(400, "bad-event-id", "the last event's id is not one that this server wrote; leave it out")
        }
        return id
    }

    /// The answer to a request for server-sent events.
    public static func serverSent(_ log: EventLog, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
        let position = try position(request.head)
        let body = ProducedSequence<[UInt8]> { emit in
            // The time after which a browser connects again, in milliseconds; and the head's way through every buffer.
            try await emit(Array("retry: 1000\n\n".utf8))
            for try await item in log.items(after: position) { try await emit(Array(serverSent(item).utf8)) }
        }
        return HTTPResponse(
            headers: HTTPHeaders([.init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store"), .init("X-Accel-Buffering", "no")]),
            body: .live(body))
    }

    /// Sends the log over a WebSocket until the client has gone or the log ends.
    public static func stream(_ log: EventLog, after position: EventID?, to session: WebSocketSession) async throws {
        for try await item in log.items(after: position) { try await session.send(.text(message(item))) }
    }

    /// One item in the format of the HTML standard, 9.2. A reset and a heartbeat carry ids too, so that a browser goes on from there.
    static func serverSent(_ item: EventLog.Item) -> String {
        switch item {
        case .event(let event):
            // JSON of ours has no line breaks; were there one, it would begin another `data` line.
            let data = event.data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }.joined()
            return "id: \(event.id)\nevent: \(event.name)\n\(data)\n"
        case .reset(let id): return "id: \(id)\nevent: reset\ndata: {}\n\n"
        case .heartbeat: return ": heartbeat\n\n"
        }
    }

    /// One item as a JSON object.
    static func message(_ item: EventLog.Item) -> String {
        switch item {
        // Neither ids nor names hold anything that JSON would escape.
        case .event(let event): "{\"id\":\"\(event.id)\",\"event\":\"\(event.name)\",\"data\":\(event.data)}"
        case .reset(let id): "{\"id\":\"\(id)\",\"event\":\"reset\",\"data\":{}}"
        case .heartbeat(let id): "{\"id\":\"\(id)\",\"event\":\"heartbeat\",\"data\":{}}"
        }
    }
}
