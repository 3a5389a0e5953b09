import SottoSpeechEngines
import Testing

/// A scripted recognizer's vocabulary: every word, and every mark, is a token.
private func tokens(_ text: String, _ probability: Float = 1) -> [HypothesisToken] {
    var result: [HypothesisToken] = []
    for word in text.split(separator: " ") {
        var body = word[...]
        var marks: [Substring] = []
        while let last = body.last, ",.?!".contains(last) {
            marks.insert(body.suffix(1), at: 0)
            body = body.dropLast()
        }
        result.append(HypothesisToken(id: number(body), probability: probability, startsWord: true))
        for mark in marks { result.append(HypothesisToken(id: number(mark), probability: probability, startsWord: false)) }
    }
    return result
}

private func number(_ text: Substring) -> Int { text.utf8.reduce(7) { ($0 &* 131 &+ Int($1)) & 0xFF_FFFF } }

/// The words settled after each of the hypotheses.
private func settled(_ script: [(Double, String)], _ configuration: CommitPolicy.Configuration = .init(stability: 0.5, openWords: 1)) -> [Int] {
    var policy = CommitPolicy(configuration: configuration)
    var before: [HypothesisToken] = []
    return script.map { time, text in
        policy.observe(tokens(text), at: time)
        // Whatever the script says, what is settled only grows.
        #expect(Array(policy.committed.prefix(before.count)) == before)
        before = policy.committed
        return before.filter(\.startsWord).count
    }
}

@Suite struct CommitPolicyTests {
    @Test("a word is settled once it has stayed for long enough and another follows")
    func agreement() {
        #expect(settled([(0.5, "go"), (0.8, "go forward"), (1.1, "go forward ten"), (1.4, "go forward ten meters")]) == [0, 0, 1, 2])
    }

    @Test("the newest word is never settled, however long it stays")
    func newest() { #expect(settled([(1, "yes"), (5, "yes"), (9, "yes")]) == [0, 0, 0]) }

    @Test("a word that changes waits again, and so does what follows it")
    func change() {
        let script: [(Double, String)] = [(1, "I scream for"), (1.4, "ice cream for"), (1.8, "ice cream for the"), (2.0, "ice cream for the boys")]
        #expect(settled(script) == [0, 0, 0, 3])
    }

    @Test("a mark belongs to the word before it: it must have stayed too")
    func marks() {
        #expect(settled([(1, "well, then go"), (1.6, "well then go"), (2.2, "well then go")]) == [0, 0, 2])
    }

    @Test("real repeats are positions of their own", arguments: ["no no no stop", "New York, New shoes fit", "that that is is"])
    func repeats(text: String) {
        var policy = CommitPolicy(configuration: .init(stability: 0.5, openWords: 1))
        let all = tokens(text)
        for count in 1...all.count { policy.observe(Array(all.prefix(count)), at: Double(count)) }
        policy.observe(all, at: Double(all.count + 1))
        let lastWord = all.lastIndex { $0.startsWord } ?? 0
        #expect(policy.committed == Array(all[..<lastWord]))
    }

    @Test("an empty decode, one that became shorter, and one of a single token settle nothing new")
    func shrinking() {
        #expect(settled([(1, "a b c d"), (2, "a b c d"), (3, "a b c"), (4, ""), (5, "a b c d")]) == [0, 3, 3, 3, 3])
    }

    @Test("an unsure word waits longer, and what follows it waits with it")
    func unsure() {
        var policy = CommitPolicy(configuration: .init(stability: 0.5, openWords: 1, sureProbability: 0.5, unsureStability: 2))
        let hypothesis = tokens("one") + tokens("two", 0.3) + tokens("three four")
        policy.observe(hypothesis, at: 1)
        policy.observe(hypothesis, at: 2.9)
        #expect(policy.committed == tokens("one"))
        policy.observe(hypothesis, at: 3)
        #expect(policy.committed == Array(hypothesis.dropLast()))
    }

    @Test("the place of the settled words is where the newest of them was first there")
    func place() {
        var policy = CommitPolicy(configuration: .init(stability: 0.5, openWords: 1))
        for (time, text) in [(1.0, "a"), (1.3, "a b"), (1.6, "a b c"), (1.9, "a b c d")] { policy.observe(tokens(text), at: time) }
        #expect(policy.committed == tokens("a b"))
        #expect(policy.committedBefore == 1.3)
        policy.reset()
        #expect(policy.committed.isEmpty)
        #expect(policy.committedBefore == 0)
    }

    @Test("thousands of random scripts: settled words are never taken back")
    func random() {
        var state: UInt64 = 99
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<2000 {
            var policy = CommitPolicy(configuration: .init(stability: Double(next(3)) * 0.3, openWords: next(3)))
            var time = 0.0
            var before: [HypothesisToken] = []
            for _ in 0..<20 {
                time += Double(next(5)) * 0.1
                // What an engine does: the settled words as given, then whatever it likes.
                let rest = (0..<next(6)).map { _ in HypothesisToken(id: next(4), probability: 1, startsWord: next(2) == 0) }
                policy.observe(policy.committed + rest, at: time)
                #expect(Array(policy.committed.prefix(before.count)) == before)
                before = policy.committed
            }
        }
    }
}

@Suite struct StepPolicyTests {
    @Test("the first decode is due at once, the next after a step, and none while nothing is said")
    func steps() {
        let policy = StepPolicy(configuration: .init(step: 8, pause: 6))
        #expect(policy.isDue(at: 10, lastSpeech: 9, decoded: nil))
        #expect(policy.isDue(at: 17, lastSpeech: 16, decoded: 10) == false)
        #expect(policy.isDue(at: 18, lastSpeech: 17, decoded: 10))
        // Nothing new was said since the decode.
        #expect(policy.isDue(at: 18, lastSpeech: 9, decoded: 16) == false)
    }

    @Test("a pause is decoded once, as soon as it is one")
    func pause() {
        let policy = StepPolicy(configuration: .init(step: 8, pause: 6))
        #expect(policy.isDue(at: 105, lastSpeech: 99, decoded: 98) == false)
        #expect(policy.isDue(at: 106, lastSpeech: 99, decoded: 102))
        #expect(policy.isDue(at: 107, lastSpeech: 99, decoded: 106) == false)
        // And once more as far as the pause belongs to the segment, so that the final is ready.
        #expect(policy.isDue(at: 109, lastSpeech: 99, decoded: 106) == false)
        #expect(policy.isDue(at: 110, lastSpeech: 99, decoded: 106))
        #expect(policy.isDue(at: 111, lastSpeech: 99, decoded: 110) == false)
    }

    @Test("the step grows with the cost of a decode, within its bounds, and comes back", arguments: [
        (milliseconds: 0, step: 8), (100, 8), (153, 8), (154, 9), (600, 32), (60_000, 94),
    ])
    func adapts(milliseconds: Int, step: Int) {
        // 0.6 of the time: a decode of 154 ms needs a step of at least 257 ms, which is 9 frames of 32 ms.
        var policy = StepPolicy(configuration: .init(step: 8, share: 0.6, longestStep: 94))
        policy.observe(cost: .milliseconds(milliseconds))
        #expect(policy.step == step)
        policy.observe(cost: .zero)
        #expect(policy.step == 8)
    }
}
