/// What other programs leave of this machine.
public protocol MachineLoad: Sendable {
    /// Cores that other programs have kept busy lately, from 0 to the number of cores. Answers at once.
    func coresUsedByOthers() -> Double
}

/// A machine where nothing else runs: for tests, and where nothing can be told.
public struct IdleMachine: MachineLoad {
    public init() {}
    public func coresUsedByOthers() -> Double { 0 }
}

/// Processor time since the machine started, all cores together, in seconds.
public struct ProcessorTimes: Sendable, Equatable {
    /// Spent on programs, the kernel and other guests of the same host.
    public var busy: Double
    /// Spent on this program.
    public var own: Double
    /// When this was read, in seconds on a clock that never jumps.
    public var moment: Double

    public init(busy: Double, own: Double, moment: Double) {
        self.busy = busy
        self.own = own
        self.moment = moment
    }

    /// Reads the first line of Linux's `/proc/stat` (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal, in ticks.
    ///
    /// Guest times are contained in user and nice. Time stolen by the host counts as busy: threads that spin wait for it too.
    /// - Parameter ticks: Ticks a second, `sysconf(_SC_CLK_TCK)`.
    /// - Returns: `nil` when the text has another form.
    public static func busySeconds(procStat text: String, ticks: Double) -> Double? {
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        guard fields.first == "cpu", fields.count >= 9 else { return nil }
        let counts = fields[1...8].compactMap { Double($0) }
        guard counts.count == 8 else { return nil }
        return (counts[0] + counts[1] + counts[2] + counts[5] + counts[6] + counts[7]) / ticks
    }

    /// Reads Linux's `/proc/loadavg` (proc(5)): its fourth field is runnable threads, a slash, and all threads.
    ///
    /// - Returns: `nil` when the text has another form.
    public static func runnable(loadAverage text: String) -> Int? {
        let fields = text.split(separator: " ")
        guard fields.count >= 5 else { return nil }
        return fields[3].split(separator: "/").first.flatMap { Int($0) }
    }

    /// Cores that were busy with something else than this program since an earlier moment.
    ///
    /// - Returns: `nil` when too little time has passed to tell: the counters tick a hundred times a second.
    public func coresUsedByOthers(since earlier: ProcessorTimes, shortest: Double = 0.15) -> Double? {
        let elapsed = moment - earlier.moment
        guard elapsed >= shortest else { return nil }
        return max(0, ((busy - earlier.busy) - (own - earlier.own)) / elapsed)
    }
}
