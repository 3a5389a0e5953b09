import SottoSpeechEngines
import Testing

struct TurnPolicyTests {
    private static let settings = TurnPolicy.Configuration(
        firstLook: .milliseconds(200), step: .milliseconds(300), threshold: 0.5, longest: .milliseconds(1500))

    /// What happens in a silence that grows by 20 ms, when the detector answers as `probability` says.
    private func run(_ policy: inout TurnPolicy, until end: Int, probability: (Int) -> Float) -> (asked: [Int], ended: [(Int, TurnPolicy.End)]) {
        var asked: [Int] = []
        var ended: [(Int, TurnPolicy.End)] = []
        for milliseconds in stride(from: 0, through: end, by: 20) {
            let pause = Duration.milliseconds(milliseconds)
            var action = policy.observe(pause: pause)
            if action == .ask {
                asked.append(milliseconds)
                policy.answer(probability(milliseconds), at: pause)
                action = policy.observe(pause: pause)
            }
            if case .ended(let end) = action { ended.append((milliseconds, end)) }
        }
        return (asked, ended)
    }

    @Test("a turn that sounds complete ends at the first look, and once only")
    func complete() {
        var policy = TurnPolicy(configuration: Self.settings)
        #expect(policy.observe(pause: nil) == .wait)
        let result = run(&policy, until: 4000) { _ in 0.9 }
        #expect(result.asked == [200])
        #expect(result.ended.map(\.0) == [200] && result.ended.map(\.1) == [.complete])
    }

    @Test("one that hangs is asked about again at the step, and ended by the silence")
    func hanging() {
        var policy = TurnPolicy(configuration: Self.settings)
        let result = run(&policy, until: 4000) { _ in 0.1 }
        #expect(result.asked == [200, 500, 800, 1100, 1400])
        #expect(result.ended.map(\.0) == [1500] && result.ended.map(\.1) == [.silence])
    }

    @Test("the answer may change as the silence grows")
    func later() {
        var policy = TurnPolicy(configuration: Self.settings)
        let result = run(&policy, until: 4000) { $0 < 700 ? 0.2 : 0.8 }
        #expect(result.ended.map(\.0) == [800])
    }

    @Test("a complete turn may have to wait, and is asked about meanwhile")
    func shortest() {
        var settings = Self.settings
        settings.shortest = .milliseconds(1000)
        var policy = TurnPolicy(configuration: settings)
        let result = run(&policy, until: 4000) { _ in 0.9 }
        #expect(result.asked == [200, 500, 800])
        #expect(result.ended.map(\.0) == [1000] && result.ended.map(\.1) == [.complete])
        // What sounded complete and does not any more.
        var other = TurnPolicy(configuration: settings)
        #expect(run(&other, until: 4000) { $0 < 400 ? 0.9 : 0.1 }.ended.map(\.0) == [1500])
    }

    @Test("speech that goes on makes a new pause")
    func goesOn() {
        var policy = TurnPolicy(configuration: Self.settings)
        #expect(run(&policy, until: 600) { _ in 0.1 }.asked == [200, 500])
        #expect(run(&policy, until: 300) { _ in 0.9 }.ended.map(\.0) == [200])
        // And again after an end.
        #expect(run(&policy, until: 300) { _ in 0.9 }.ended.map(\.0) == [200])
    }

    @Test("without a longest silence it waits for ever; what is not a number is no")
    func patience() {
        var settings = Self.settings
        settings.longest = nil
        var policy = TurnPolicy(configuration: settings)
        #expect(run(&policy, until: 60_000) { _ in .nan }.ended.isEmpty)
        #expect(policy.observe(pause: nil) == .wait)
    }
}
