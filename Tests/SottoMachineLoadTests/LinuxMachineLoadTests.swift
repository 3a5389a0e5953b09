import Glibc
import SottoComputeBudget
import SottoMachineLoad
import Testing

@Suite struct ProcessorTimesTests {
    /// The form of proc(5), with numbers that can be added in the head.
    private let stat = "cpu  100 20 30 5000 400 5 6 7 50 9\ncpu0 50 10 15 2500 200 2 3 3 25 4\n"

    @Test("busy time is user, nice, system, irq, softirq and steal; guests are in user already")
    func busy() {
        #expect(ProcessorTimes.busySeconds(procStat: stat, ticks: 100) == 1.68)
    }

    @Test("a text of another form tells nothing", arguments: ["", "cpu", "intr 1 2 3 4 5 6 7 8 9", "cpu a b c d e f g h"])
    func otherForms(text: String) {
        #expect(ProcessorTimes.busySeconds(procStat: text, ticks: 100) == nil)
    }

    @Test("others had what was busy and not ours")
    func others() {
        let before = ProcessorTimes(busy: 10, own: 1, moment: 100)
        #expect(ProcessorTimes(busy: 13, own: 2, moment: 102).coresUsedByOthers(since: before) == 1)
        #expect(ProcessorTimes(busy: 10.5, own: 2, moment: 102).coresUsedByOthers(since: before) == 0)
        #expect(ProcessorTimes(busy: 11, own: 1, moment: 100.1).coresUsedByOthers(since: before) == nil)
    }

    @Test("the runnable threads are the fourth field")
    func runnable() {
        #expect(ProcessorTimes.runnable(loadAverage: "0.20 0.18 0.12 3/80 11206\n") == 3)
        #expect(ProcessorTimes.runnable(loadAverage: "0.20 0.18") == nil)
    }
}

@Suite struct LinuxMachineLoadTests {
    @Test("another program that computes is seen, within a second")
    func otherProgram() async throws {
        let load = LinuxMachineLoad()
        var process = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("sh"), strdup("-c"), strdup("while :; do :; done"), nil]
        defer { for unsafe argument in unsafe arguments { unsafe free(argument) } }
        try #require(unsafe posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ) == 0)
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        // The counters are what is waited for: half a second of somebody's computing.
        let start = ContinuousClock.now
        var seen = 0.0
        while seen < 0.5, ContinuousClock.now - start < .seconds(30) {
            seen = load.coresUsedByOthers()
            sched_yield()
        }
        #expect(seen >= 0.5)
    }
}
