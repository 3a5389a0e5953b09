import Dispatch

/// A serial executor with a thread of its own, for actors whose work blocks inside C.
///
/// Swift's shared pool has as many threads as the machine has cores; on two cores, two decodes there would stop every
/// other task of the process. An actor that returns this executor from `unownedExecutor` blocks only itself.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: Shown by debuggers and profilers, for example `"sotto.llama"`.
    public init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }
}
