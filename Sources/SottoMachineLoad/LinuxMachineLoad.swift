internal import Glibc
public import SottoComputeBudget
internal import Synchronization

/// Watches what other programs use of the cores, from Linux's own counters.
///
/// A load average is a minute behind; the counters tell within two tenths of a second. They are read when somebody asks, never in between.
public final class LinuxMachineLoad: MachineLoad {
    private struct State {
        var last: ProcessorTimes?
        var answer = 0.0
    }

    private let state: Mutex<State>

    public init() {
        state = Mutex(State(last: Self.read()))
    }

    public func coresUsedByOthers() -> Double {
        state.withLock { state in
            guard let now = Self.read() else { return 0 }
            guard let last = state.last else {
                state.last = now
                return 0
            }
            // Between two close questions the earlier answer still holds.
            guard let window = now.coresUsedByOthers(since: last) else { return state.answer }
            // A time in which this program rested says what was, not what is: then the threads that want a core just now are counted.
            let isStale = now.moment - last.moment > 0.5 && now.own - last.own < 0.2 * (now.moment - last.moment)
            state.last = now
            state.answer = isStale ? Self.runnableElsewhere() ?? window : window
            return state.answer
        }
    }

    /// Threads of the machine that run or wait for a core at this moment, without the one that asks: the fourth field of `/proc/loadavg`.
    private static func runnableElsewhere() -> Double? {
        guard let text = text(of: "/proc/loadavg"), let running = ProcessorTimes.runnable(loadAverage: text) else { return nil }
        return Double(max(0, running - 1))
    }

    private static func text(of path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The beginning is all that is wanted; the rest of /proc/stat grows with the number of cores.
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// `nil` where there is no `/proc`.
    static func read() -> ProcessorTimes? {
        guard let text = text(of: "/proc/stat") else { return nil }
        guard let busy = ProcessorTimes.busySeconds(procStat: text, ticks: Double(sysconf(Int32(_SC_CLK_TCK)))) else { return nil }
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessorTimes(
            busy: busy, own: seconds(usage.ru_utime) + seconds(usage.ru_stime), moment: Double(now.tv_sec) + Double(now.tv_nsec) / 1e9)
    }
}
