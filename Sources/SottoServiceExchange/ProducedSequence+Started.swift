package import SottoStreams

extension ProducedSequence {
    /// The same sequence once its first element is there; what it throws before that is thrown here.
    package func startedStream() async throws -> ProducedSequence {
        let reader = StartedReader(self)
        try await reader.start()
        return ProducedSequence { emit in while let element = try await reader.next() { try await emit(element) } }
    }
}

/// One reader at a time.
private actor StartedReader<Element: Sendable> {
    private var iterator: ProducedSequence<Element>.Iterator
    private var first: Element?

    init(_ sequence: ProducedSequence<Element>) { iterator = sequence.makeAsyncIterator() }

    func start() async throws { first = try await take() }

    func next() async throws -> Element? {
        if let element = first {
            first = nil
            return element
        }
        return try await take()
    }

    private func take() async throws -> Element? {
        // Taken out while it waits, for an actor may be entered again; there is one reader, so nobody misses it.
        var current = iterator
        let element = try await current.next()
        iterator = current
        return element
    }
}
