import SottoStreams

/// Runs exchanges on a thread of its own, one at a time.
actor FetchWorker {
    private let executor = BlockingExecutor(label: "sotto.fetch")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func run(_ exchange: HTTPExchange, flag: CancellationFlag) -> HTTPExchange.Result { HTTPTransfer.run(exchange, flag: flag) }
}
