import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines

/// The child of one session, and how its death is survived: once for each utterance, in another child.
final class SherpaWork {
    private let pool: SherpaPool
    private let budget: ComputeBudget
    private let threads: Int
    private var connection: SherpaConnection?

    init(pool: SherpaPool, connection: sending SherpaConnection, budget: ComputeBudget, threads: Int) {
        self.pool = pool
        self.budget = budget
        self.threads = threads
        self.connection = connection
    }

    /// Does a piece of work in the child; when it dies over it, once more in a new one.
    ///
    /// - Parameter body: Told whether the child is a new one, which knows nothing of what was said before.
    /// - Throws: ``RecognitionError``; `CancellationError`, after which the session is at its end.
    func run<Value>(_ body: (SherpaConnection, Bool) async throws -> Value) async throws -> Value {
        do {
            let current: SherpaConnection
            if let connection { current = connection } else { current = try await pool.take() }
            let isNew = connection == nil
            connection = current
            do {
                return try await budget.withThreads(.hearing, wish: threads) { _ in try await body(current, isNew) }
            } catch let error as SherpaHostError where error.code != .failed && error.code != .notStarted && isNew == false {
                connection = nil
                let replacement = try await pool.take()
                connection = replacement
                return try await budget.withThreads(.hearing, wish: threads) { _ in try await body(replacement, true) }
            }
        } catch let error as SherpaHostError {
            connection = nil
            throw RecognitionError(error)
        } catch let error as CancellationError {
            connection = nil
            throw error
        }
    }

    /// Gives the child back.
    func end() async {
        guard let last = connection else { return }
        connection = nil
        nonisolated(unsafe) let given = last  // Nobody else holds it any more.
        await unsafe pool.put(given)
    }
}
