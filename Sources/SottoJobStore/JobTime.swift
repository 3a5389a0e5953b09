public import Foundation

/// A moment on both clocks that jobs need: passed in with every call, so that no store reads a clock.
public struct JobInstant: Sendable, Equatable {
    /// The time of day: for people and for due times. May jump.
    public var date: Date
    /// Time since the machine started, sleep counted (Linux `CLOCK_BOOTTIME`): for leases. Never jumps.
    public var uptime: Duration
    /// Which start of the machine ``uptime`` counts from (Linux `/proc/sys/kernel/random/boot_id`).
    public var boot: String

    public init(date: Date, uptime: Duration, boot: String) {
        self.date = date
        self.uptime = uptime
        self.boot = boot
    }
}

/// Tells the moment; a manual one in tests.
public typealias JobClock = @Sendable () -> JobInstant

/// A worker's right to a job until a moment on the boot clock.
public struct JobLease: Sendable, Equatable, Codable {
    /// Who holds it: a name that no two worker processes share.
    public var worker: String
    /// The fencing token: rises with every claim of any job, so that a worker that lost its lease can be told from the one that has it.
    public var token: Int64
    public var boot: String
    /// End on the boot clock, in nanoseconds since the start of the machine.
    public var expires: Int64

    public init(worker: String, token: Int64, boot: String, expires: Int64) {
        self.worker = worker
        self.token = token
        self.boot = boot
        self.expires = expires
    }

    public init(worker: String, token: Int64, from now: JobInstant, lasting duration: Duration) {
        self.init(worker: worker, token: token, boot: now.boot, expires: (now.uptime + duration).nanoseconds)
    }

    /// Whether it is over: its time has passed, or the machine was started anew.
    public func isExpired(at now: JobInstant) -> Bool { boot != now.boot || expires <= now.uptime.nanoseconds }
}

extension Duration {
    /// Whole nanoseconds; 292 years fit.
    public var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

extension Date {
    /// Whole microseconds since 1970, to the nearest; what stores keep. Clamped to what 64 bits hold.
    public var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1_000_000).rounded()
        // Not a number and infinity end here as well; 9.2e18 microseconds are 292 000 years.
        guard abs(value) < 9.2e18 else { return value < 0 ? -9_200_000_000_000_000_000 : 9_200_000_000_000_000_000 }
        return Int64(value)
    }

    public init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

    /// The moment as a store gives it back.
    public var roundedToMicroseconds: Date { Date(microseconds: microseconds) }
}
