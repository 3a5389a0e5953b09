import Foundation
import SottoJobStore
import Testing

@Suite struct JobTimeTests {
    @Test("dates that are kept to the microsecond come back as they were kept", arguments: [0, 0.1, 1_767_225_600.123_456_7, 4_102_444_800.999_999_5, -86_400.000_001])
    func microseconds(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        let kept = date.roundedToMicroseconds
        #expect(abs(kept.timeIntervalSince(date)) < 0.000_001)
        #expect(kept.roundedToMicroseconds == kept && kept.microseconds == date.microseconds)
    }

    @Test("what 64 bits do not hold is clamped, not a crash", arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
    func clamped(seconds: Double) {
        let kept = Date(timeIntervalSince1970: seconds).microseconds
        #expect(kept == (seconds < 0 ? -9_200_000_000_000_000_000 : 9_200_000_000_000_000_000))
    }

    @Test("a lease is over at its end, and at another start of the machine")
    func lease() {
        func now(_ seconds: Int, _ boot: String = "a") -> JobInstant { JobInstant(date: .distantPast, uptime: .seconds(seconds), boot: boot) }
        let lease = JobLease(worker: "w", token: 1, from: now(100), lasting: .seconds(30))
        #expect(lease.expires == 130_000_000_000)
        #expect(lease.isExpired(at: now(129)) == false && lease.isExpired(at: now(130)) && lease.isExpired(at: now(10, "b")))
        #expect(lease.isExpired(at: now(10)) == false)
    }
}
