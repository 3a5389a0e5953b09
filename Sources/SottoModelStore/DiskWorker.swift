import SottoStreams

/// Runs blocking work on files on a thread of its own, one piece at a time.
actor DiskWorker {
    let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(label: String) { executor = BlockingExecutor(label: label) }

    func run<Value: Sendable>(_ body: @Sendable () throws -> Value) rethrows -> Value { try body() }
}
