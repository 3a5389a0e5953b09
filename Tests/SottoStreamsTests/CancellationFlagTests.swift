import SottoStreams
import Testing

@Suite struct CancellationFlagTests {
    /// As an engine's run options do: holds the flag, and is held by its handler.
    private final class Options: Sendable {
        let flag: CancellationFlag
        let onEnd: @Sendable () -> Void
        init(flag: CancellationFlag, onEnd: @escaping @Sendable () -> Void) {
            self.flag = flag
            self.onEnd = onEnd
        }
        deinit { onEnd() }
    }

    @Test("what a handler holds is freed when the job has ended without a cancel")
    func lifetime() async throws {
        let freed = CancellationFlag()
        await withCancellationFlag { flag in
            let options = Options(flag: flag) { freed.cancel() }
            flag.onCancel { _ = options.flag.isCancelled }
        }
        #expect(freed.isCancelled)
    }

    @Test("handlers run once, at once when the flag is raised already")
    func handlers() {
        let flag = CancellationFlag()
        let seen = Counter()
        flag.onCancel { seen.add() }
        flag.cancel()
        flag.cancel()
        flag.onCancel { seen.add() }
        #expect(seen.count == 2)
    }
}

private final class Counter: Sendable {
    private let flags = [CancellationFlag(), CancellationFlag(), CancellationFlag()]
    func add() { flags.first { $0.isCancelled == false }?.cancel() }
    var count: Int { flags.count { $0.isCancelled } }
}
