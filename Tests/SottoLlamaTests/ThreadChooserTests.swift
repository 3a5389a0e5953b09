import Testing

@testable import SottoLlama

@Suite struct ThreadChooserTests {
    /// Plays a machine: a token takes `one` second on one thread, `one / 1.7` on two, or `one * penalty` on two when disturbed.
    private func play(
        _ chooser: inout ThreadChooser, seconds: Double, one: Double, penalty: Double? = nil
    ) -> (tokens: Int, onTwo: Double) {
        var (elapsed, onTwo, tokens) = (0.0, 0.0, 0)
        while elapsed < seconds {
            let threads = chooser.wish
            let time = threads == 1 ? one : penalty.map { one * $0 } ?? one / 1.7
            chooser.observe(threads: threads, tokens: 1, seconds: time)
            elapsed += time
            tokens += 1
            if threads == 2 { onTwo += time }
        }
        return (tokens, onTwo / elapsed)
    }

    @Test("a quiet machine gets both threads, all but one token long")
    func quiet() {
        var chooser = ThreadChooser(maximum: 2)
        let result = play(&chooser, seconds: 20, one: 0.05)
        #expect(result.onTwo > 0.99)
    }

    @Test("a disturbed machine gets one thread, and looks cost little", arguments: [10.0, 30, 60])
    func disturbed(penalty: Double) {
        var chooser = ThreadChooser(maximum: 2)
        _ = play(&chooser, seconds: 5, one: 0.02)
        let result = play(&chooser, seconds: 60, one: 0.02, penalty: penalty)
        // One thread alone would have written 3 000 tokens, two threads 300, 100 or 50.
        #expect(result.tokens > (penalty > 30 ? 1900 : 2300))
    }

    @Test("long prompt steps: looks cost little there too")
    func longSteps() {
        var chooser = ThreadChooser(maximum: 2)
        // 32 tokens take 0.8 s on one thread and 1.9 s on two, as measured beside busy processes.
        var (elapsed, steps) = (0.0, 0)
        while elapsed < 120 {
            let threads = chooser.wish
            let seconds = threads == 1 ? 0.8 : 1.9
            chooser.observe(threads: threads, tokens: 32, seconds: seconds)
            elapsed += seconds
            steps += 1
        }
        #expect(Double(steps) * 0.8 / elapsed > 0.92)
    }

    @Test("a machine that is disturbed from the first token on is noticed at the second")
    func disturbedFromTheBeginning() {
        var chooser = ThreadChooser(maximum: 2)
        chooser.observe(threads: 2, tokens: 1, seconds: 0.5)
        #expect(chooser.wish == 1)
        chooser.observe(threads: 1, tokens: 1, seconds: 0.02)
        #expect(chooser.wish == 1)
    }

    @Test("both threads come back soon after the disturbance ends")
    func recovery() {
        var chooser = ThreadChooser(maximum: 2)
        _ = play(&chooser, seconds: 5, one: 0.02)
        _ = play(&chooser, seconds: 3, one: 0.02, penalty: 20)
        _ = play(&chooser, seconds: 8, one: 0.02)
        #expect(play(&chooser, seconds: 5, one: 0.02).onTwo > 0.99)
    }

    @Test("a conversation that grows slower token by token is no disturbance for long")
    func growing() {
        var chooser = ThreadChooser(maximum: 2)
        _ = play(&chooser, seconds: 2, one: 0.02)
        var onTwo = 0.0
        for step in 0..<40 { onTwo += play(&chooser, seconds: 1, one: 0.02 * (1 + Double(step) / 20)).onTwo }
        #expect(onTwo / 40 > 0.9)
    }

    @Test("one core means one thread, and grants below the wish do no harm")
    func single() {
        var chooser = ThreadChooser(maximum: 1)
        #expect(play(&chooser, seconds: 1, one: 0.1).onTwo == 0)
        var shared = ThreadChooser(maximum: 2)
        for _ in 0..<100 { shared.observe(threads: 1, tokens: 1, seconds: 0.05) }
        #expect(shared.wish == 2)
    }
}
