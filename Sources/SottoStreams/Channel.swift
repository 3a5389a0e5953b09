import Synchronization

/// A bounded queue between one producer and one consumer: `send` waits while it is full, so memory stays flat.
///
/// The policy between our own tasks: nothing is dropped. Cancelling the producer's task makes `send` throw
/// `CancellationError`; a consumer that stops reading (its iterator is gone) makes `send` return `false`.
public final class Channel<Element: Sendable>: Sendable {
    private struct State {
        var buffer: [Element] = []
        var isFinished = false
        var failure: (any Error)?
        var isAbandoned = false
        var consumer: CheckedContinuation<Void, Never>?
        var producer: CheckedContinuation<Void, Never>?
    }

    private enum Step { case element(Element), end, fail(any Error), wait }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: How many elements may wait, at least 1.
    public init(capacity: Int = 1) {
        precondition(capacity > 0, "a channel holds at least one element")
        self.capacity = capacity
    }

    /// Hands over one element, waiting while the channel is full.
    ///
    /// - Returns: `false` when the consumer has gone and the element was dropped.
    /// - Throws: `CancellationError` when the producing task is cancelled while it waits.
    @discardableResult
    public func send(_ element: Element) async throws -> Bool {
        while true {
            try Task.checkCancellation()
            let (outcome, waiting): (Bool?, CheckedContinuation<Void, Never>?) = state.withLock { state in
                if state.isAbandoned || state.isFinished { return (false, nil) }
                guard state.buffer.count < capacity else { return (nil, nil) }
                state.buffer.append(element)
                defer { state.consumer = nil }
                return (true, state.consumer)
            }
            waiting?.resume()
            if let outcome { return outcome }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let runNow = state.withLock { state in
                        if state.buffer.count < capacity || state.isAbandoned || state.isFinished || Task.isCancelled { return true }
                        state.producer = continuation
                        return false
                    }
                    if runNow { continuation.resume() }
                }
            } onCancel: {
                wakeProducer()
            }
        }
    }

    /// Ends the sequence; elements already sent are still delivered, then `error` is thrown if there is one.
    public func finish(throwing error: (any Error)? = nil) {
        let (consumer, producer) = state.withLock { state in
            if state.isFinished == false {
                state.isFinished = true
                state.failure = error
            }
            defer { (state.consumer, state.producer) = (nil, nil) }
            return (state.consumer, state.producer)
        }
        consumer?.resume()
        producer?.resume()
    }

    /// Tells the producer that nobody reads any more.
    public func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.buffer = []
        }
        wakeProducer()
    }

    /// The next element, or `nil` after ``finish(throwing:)``. One consumer only.
    public func next() async throws -> Element? {
        while true {
            try Task.checkCancellation()
            let (step, producer): (Step, CheckedContinuation<Void, Never>?) = state.withLock { state in
                if state.buffer.isEmpty == false {
                    let element = state.buffer.removeFirst()
                    defer { state.producer = nil }
                    return (.element(element), state.producer)
                }
                guard state.isFinished else { return (.wait, nil) }
                if let failure = state.failure {
                    state.failure = nil
                    return (.fail(failure), nil)
                }
                return (.end, nil)
            }
            producer?.resume()
            switch step {
            case .element(let element): return element
            case .end: return nil
            case .fail(let error): throw error
            case .wait: break
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let runNow = state.withLock { state in
                        if state.buffer.isEmpty == false || state.isFinished || Task.isCancelled { return true }
                        state.consumer = continuation
                        return false
                    }
                    if runNow { continuation.resume() }
                }
            } onCancel: {
                wakeConsumer()
            }
        }
    }

    private func wakeProducer() {
        let waiting = state.withLock { state in
            defer { state.producer = nil }
            return state.producer
        }
        waiting?.resume()
    }

    private func wakeConsumer() {
        let waiting = state.withLock { state in
            defer { state.consumer = nil }
            return state.consumer
        }
        waiting?.resume()
    }
}

/// A sequence made by a task that runs only while somebody reads: dropping the iterator cancels the work.
public struct ProducedSequence<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Producer = @Sendable (_ emit: @Sendable (Element) async throws -> Void) async throws -> Void
    private let capacity: Int
    private let producer: Producer

    /// - Parameters:
    ///   - capacity: How many elements the producer may be ahead of the reader.
    ///   - producer: Runs once per iterator, in a task of its own; `emit` waits while the reader is behind and throws
    ///     `CancellationError` once it has gone.
    public init(capacity: Int = 1, _ producer: @escaping Producer) {
        self.capacity = capacity
        self.producer = producer
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(channel: Channel(capacity: capacity), producer: producer)
    }

    public struct Iterator: AsyncIteratorProtocol {
        /// Cancels the producing task when the last copy of the iterator goes away.
        private final class Lifetime: Sendable {
            let channel: Channel<Element>
            let task: Task<Void, Never>
            init(channel: Channel<Element>, producer: @escaping Producer) {
                self.channel = channel
                // Unstructured because its scope is the iterator's life, which no task group can express.
                task = Task {
                    do {
                        try await producer { element in
                            guard try await channel.send(element) else { throw CancellationError() }
                        }
                        channel.finish()
                    } catch {
                        channel.finish(throwing: error)
                    }
                }
            }
            deinit {
                task.cancel()
                channel.abandon()
            }
        }

        private let channel: Channel<Element>
        private let producer: Producer
        private var lifetime: Lifetime?

        init(channel: Channel<Element>, producer: @escaping Producer) {
            self.channel = channel
            self.producer = producer
        }

        public mutating func next() async throws -> Element? {
            let running = lifetime ?? Lifetime(channel: channel, producer: producer)
            lifetime = running
            return try await withTaskCancellationHandler {
                try await running.channel.next()
            } onCancel: {
                running.task.cancel()
            }
        }
    }
}
