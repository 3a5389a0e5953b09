import Foundation

/// The latest events, kept so that a client that was away is told what it missed.
///
/// Nobody has a queue of its own here: each reader holds a position and takes what is there when it is ready for more, so a slow reader costs
/// nothing. One that fell behind what is kept, or comes from before a restart, is told so (``Item/reset``) and asks for the state anew.
public actor EventLog {
    public struct Limits: Sendable, Equatable {
        public var events = 2_000
        /// Names and data.
        public var bytes = 4 << 20
        /// Between two signs of life.
        public var heartbeat = Duration.seconds(15)

        public init() {}
    }

    public enum Item: Sendable, Equatable {
        case event(LiveEvent)
        /// Events between the reader's position and the next one are not kept: ask for the state, which is at least as new as `at`.
        case reset(at: EventID)
        /// Nothing happened for a while.
        case heartbeat(at: EventID)
    }

    private let limits: Limits
    private let clock: any Clock<Duration>
    private nonisolated let epoch: UInt64
    private var events: [LiveEvent] = []
    private var first = 0
    private var bytes = 0
    private var last: UInt64 = 0
    private var isFinished = false
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiter: UInt64 = 0

    /// - Parameter epoch: Different at each start, for example random.
    public init(epoch: UInt64, limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock()) {
        self.epoch = epoch
        self.limits = limits
        self.clock = clock
    }

    /// The newest event's place; number 0 before the first.
    public var latest: EventID { EventID(epoch: epoch, number: last) }

    /// How many events are kept, and of how many bytes.
    public var kept: (events: Int, bytes: Int) { (events.count - first, bytes) }

    /// Adds an event and wakes the readers.
    ///
    /// - Parameter data: One JSON value without line breaks, as encoders write it.
    @discardableResult
    public func publish(_ name: String, data: String) -> EventID {
        last += 1
        let event = LiveEvent(id: EventID(epoch: epoch, number: last), name: name, data: data)
        events.append(event)
        bytes += event.size
        while events.count - first > limits.events || (bytes > limits.bytes && first < events.count) {
            bytes -= events[first].size
            first += 1
        }
        if first > limits.events {
            events.removeFirst(first)
            first = 0
        }
        wake()
        return event.id
    }

    /// Adds an event whose data is a value as JSON.
    ///
    /// - Throws: `EncodingError`.
    @discardableResult
    public func publish(_ name: String, _ value: some Encodable & Sendable) throws -> EventID {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return publish(name, data: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Ends every reader after what it has not taken yet.
    public func finish() {
        isFinished = true
        wake()
    }

    /// The events after a place, and then those that come.
    ///
    /// - Parameter position: `nil` for new ones only. One that this log never gave is answered with ``Item/reset(at:)``.
    public nonisolated func items(after position: EventID?) -> Items { Items(log: self, position: position) }

    /// What follows a place, waiting if there is nothing; `nil` at the end.
    fileprivate func next(after position: EventID?) async throws -> (item: Item, position: EventID)? {
        let place = position ?? latest
        let oldest = first < events.count ? events[first].id.number : last + 1
        guard place.epoch == epoch, place.number <= last, place.number + 1 >= oldest else { return (.reset(at: latest), latest) }
        if place.number < last {
            let event = events[first + Int(place.number + 1 - oldest)]
            return (.event(event), event.id)
        }
        if isFinished { return nil }
        try Task.checkCancellation()
        let isTimely = await change()
        try Task.checkCancellation()
        if isTimely == false, place.number == last, isFinished == false { return (.heartbeat(at: place), place) }
        return try await next(after: place)
    }

    /// - Returns: `false` when the heartbeat's time passed first.
    private func change() async -> Bool {
        nextWaiter += 1
        let id = nextWaiter
        // Unstructured, and ended below: it must outlive no wait, and a group would need the actor twice.
        let timer = Task { [clock, heartbeat = limits.heartbeat, weak self] in
            try await clock.sleep(for: heartbeat)
            await self?.release(id)
            return true
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waiting[id] = continuation }
            }
        } onCancel: {
            // Unstructured: a cancellation handler cannot wait for the actor.
            Task { await self.release(id) }
        }
        timer.cancel()
        return (try? await timer.value) != true
    }

    private func release(_ id: UInt64) { waiting.removeValue(forKey: id)?.resume() }

    private func wake() {
        let everyone = waiting.values
        waiting = [:]
        for continuation in everyone { continuation.resume() }
    }

    /// A reader's view of a log.
    public struct Items: AsyncSequence, Sendable {
        let log: EventLog
        let position: EventID?

        public func makeAsyncIterator() -> Iterator { Iterator(log: log, position: position) }

        public struct Iterator: AsyncIteratorProtocol {
            let log: EventLog
            var position: EventID?

            public mutating func next() async throws -> Item? {
                // From here on "new ones only" is a place, so that nothing between two calls is missed.
                if position == nil { position = await log.latest }
                guard let (item, place) = try await log.next(after: position) else { return nil }
                position = place
                return item
            }
        }
    }
}

extension LiveEvent {
    fileprivate var size: Int { name.utf8.count + data.utf8.count + 64 }
}
