internal import Foundation
internal import Glibc
public import SottoJobStore

/// Linux's clocks as jobs need them: time of day, time since the machine's start with sleep counted, and which start that was.
public enum LinuxJobClock {
    /// - Throws: ``JobStoreError`` `.failed` when the kernel does not tell which start of the machine this is.
    public static func make() throws -> JobClock {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), text.count >= 36 else {
            throw JobStoreError(.failed, "cannot read \(path), by which leases of before a restart are told; mount /proc")
        }
        let boot = String(text.prefix(36))
        return { JobInstant(date: Date(), uptime: uptime(), boot: boot) }
    }

    private static func uptime() -> Duration {
        var time = timespec()
        // Cannot fail for this clock on any kernel since 2.6.39.
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
