/// When a worker looks after a job that it holds: signs of life at a third of the lease, and a look for a cancel at least twice a second.
struct LeasePlan: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        /// A write that renews the lease, and tells whether a cancel was asked for.
        case beat
        /// A read that tells only that, at the cost of microseconds instead of a flush of the disk.
        case look
    }

    let heartbeat: Duration
    /// The time between two actions.
    let interval: Duration
    private var lastBeat: Duration

    /// - Parameters:
    ///   - lease: As claimed.
    ///   - start: The boot clock's time of the claim.
    init(lease: Duration, start: Duration) {
        heartbeat = lease / 3
        interval = min(heartbeat, .milliseconds(500))
        lastBeat = start
    }

    /// What is to be done now. The action counts as not done until ``didBeat(at:)``.
    func action(at uptime: Duration) -> Action {
        // The next look would come too late.
        uptime - lastBeat + interval > heartbeat ? .beat : .look
    }

    mutating func didBeat(at uptime: Duration) { lastBeat = uptime }
}
