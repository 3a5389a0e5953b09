import SottoComputeBudget
import SottoStreams
import Synchronization
import Testing

/// What happened, in order; shared by the tasks of one test.
private final class Journal: Sendable {
    private let list = Mutex<[String]>([])
    func append(_ entry: String) { list.withLock { $0.append(entry) } }
    var entries: [String] { list.withLock { $0 } }
}

/// Other programs that use what the test says.
private struct BusyMachine: MachineLoad {
    let cores: Double
    func coresUsedByOthers() -> Double { cores }
}

@Suite struct ComputeBudgetTests {
    @Test("cores that other programs keep busy are not granted beyond the first", arguments: [
        (0.0, 4), (0.3, 4), (0.4, 3), (1.0, 3), (1.5, 2), (3.9, 1), (9.0, 1),
    ])
    func busyMachine(cores: Double, granted: Int) async throws {
        let budget = ComputeBudget(threads: 4, load: BusyMachine(cores: cores))
        #expect(try await budget.withThreads(.languageModel, wish: 4) { $0 } == granted)
    }

    @Test("a long step is asked to make room when somebody more urgent waits, and only then")
    func interruption() async throws {
        let budget = ComputeBudget(threads: 1)
        let (step, short) = (CancellationFlag(), CancellationFlag())
        let begun = Channel<Void>(capacity: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await budget.withThreads(.speech, wish: 1, interruption: step) { _ in
                    try await begun.send(())
                    while await budget.waitingCount < 1 { await Task.yield() }
                    #expect(step.isCancelled == false)
                    try await begun.send(())
                    while step.isCancelled == false { await Task.yield() }
                }
            }
            _ = try await begun.next()
            group.addTask { try await budget.withThreads(.languageModel, wish: 1, interruption: short) { _ in } }
            _ = try await begun.next()
            group.addTask { try await budget.withThreads(.hearing, wish: 1) { _ in } }
            try await group.waitForAll()
        }
        #expect(short.isCancelled == false)
    }

    @Test("a lone engine gets what it wishes, never more than there is")
    func lone() async throws {
        let budget = ComputeBudget(threads: 2)
        #expect(try await budget.withThreads(.languageModel, wish: 8) { $0 } == 2)
        #expect(try await budget.withThreads(.speech, wish: 1) { $0 } == 1)
    }

    @Test("while somebody is listened to, one core is hearing's alone, and given back afterwards")
    func keptCore() async throws {
        let budget = ComputeBudget(threads: 2)
        try await budget.keepingCoreForHearing {
            let granted = try await budget.withThreads(.languageModel, wish: 2) { model in
                // It waits for nobody: this would not return otherwise.
                let hearing = try await budget.withThreads(.hearing, wish: 2) { $0 }
                return (model, hearing)
            }
            #expect(granted == (1, 1))
            let all = try await budget.withThreads(.hearing, wish: 2) { $0 }
            #expect(all == 2, "what nobody uses is hearing's too")
        }
        #expect(try await budget.withThreads(.languageModel, wish: 2) { $0 } == 2)
        let single = ComputeBudget(threads: 1)
        let alone = try await single.keepingCoreForHearing { try await single.withThreads(.background, wish: 2) { $0 } }
        #expect(alone == 1)
    }

    @Test("a step that holds every core is asked to make room when listening begins, and what waits for listening to end is served then")
    func keptCoreHandover() async throws {
        let budget = ComputeBudget(threads: 2)
        let step = CancellationFlag()
        let (begun, order) = (Channel<Void>(capacity: 1), Journal())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await budget.withThreads(.languageModel, wish: 2, interruption: step) { _ in
                    try await begun.send(())
                    while step.isCancelled == false { await Task.yield() }
                    order.append("gave way")
                }
            }
            _ = try await begun.next()
            try await budget.keepingCoreForHearing {
                try await budget.withThreads(.hearing, wish: 1) { _ in order.append("heard") }
                try await budget.withThreads(.speech, wish: 1) { _ in
                    group.addTask { try await budget.withThreads(.background, wish: 1) { _ in order.append("background") } }
                    while await budget.waitingCount < 1 { await Task.yield() }
                    try await budget.withThreads(.hearing, wish: 1) { _ in order.append("heard past who waits") }
                }
            }
            try await group.waitForAll()
        }
        #expect(order.entries == ["gave way", "heard", "heard past who waits", "background"])
    }

    @Test("hearing is served before a language model that asked earlier")
    func priority() async throws {
        let budget = ComputeBudget(threads: 1)
        let order = Journal()
        let gate = Channel<Void>(capacity: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let held = Channel<Void>(capacity: 1)
            group.addTask {
                try await budget.withThreads(.languageModel, wish: 1) { _ in
                    try await held.send(())
                    _ = try await gate.next()
                }
            }
            _ = try await held.next()
            group.addTask {
                try await budget.withThreads(.languageModel, wish: 1) { _ in order.append("model") }
            }
            while await budget.waitingCount < 1 { await Task.yield() }
            group.addTask {
                try await budget.withThreads(.hearing, wish: 1) { _ in order.append("hearing") }
            }
            while await budget.waitingCount < 2 { await Task.yield() }
            try await gate.send(())
            try await group.waitForAll()
        }
        #expect(order.entries == ["hearing", "model"])
    }

    @Test("a request cancelled while it waits throws, and the others go on")
    func cancellation() async throws {
        let budget = ComputeBudget(threads: 1)
        try await budget.withThreads(.speech, wish: 1) { _ in
            let waiting = Task { try await budget.withThreads(.hearing, wish: 1) { $0 } }
            while await budget.waitingCount < 1 { await Task.yield() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        #expect(try await budget.withThreads(.hearing, wish: 1) { $0 } == 1)
    }

    @Test("threads come back when the work throws")
    func failure() async throws {
        struct Broken: Error {}
        let budget = ComputeBudget(threads: 2)
        await #expect(throws: Broken.self) {
            try await budget.withThreads(.speech, wish: 2) { _ in throw Broken() }
        }
        #expect(try await budget.withThreads(.speech, wish: 2) { $0 } == 2)
    }
}
