import Testing

@testable import SottoLlama

@Suite struct PrefixCacheTests {
    /// Computes a prompt as the engine does; returns the sizes of the steps.
    private func compute(_ prompt: [Int32], _ cache: inout PrefixCache, owner: UInt64) -> (reused: Int, steps: [Int]) {
        let reused = cache.begin(prompt, owner: owner)
        var steps: [Int] = []
        while cache.tokens.count < prompt.count {
            let count = cache.nextStep(remaining: prompt.count - cache.tokens.count)
            steps.append(count)
            cache.append(prompt[cache.tokens.count..<cache.tokens.count + count], asPrompt: true)
        }
        return (reused, steps)
    }

    @Test("a session keeps every token that its next prompt shares, and computes at least the last")
    func session() {
        var cache = PrefixCache(step: 4)
        #expect(compute(Array(0..<10), &cache, owner: 1) == (0, [4, 4, 2]))
        cache.append([10, 11], asPrompt: false)
        #expect(compute(Array(0..<14), &cache, owner: 1) == (12, [2]))
        #expect(compute(Array(0..<14), &cache, owner: 1) == (13, [1]))
        #expect(compute([0, 1, 2, 9, 9], &cache, owner: 1) == (3, [1, 1]))
        #expect(compute([7], &cache, owner: 1) == (0, [1]))
    }

    @Test("another session keeps only whole steps of the prompt, cut where it would cut them itself")
    func otherSession() {
        var cache = PrefixCache(step: 4)
        _ = compute(Array(0..<10), &cache, owner: 1)
        #expect(compute(Array(0..<12), &cache, owner: 2) == (8, [4]))
        _ = compute(Array(0..<11), &cache, owner: 2)
        #expect(compute(Array(0..<8), &cache, owner: 3) == (4, [4]))
        #expect(compute([5, 6, 7, 8, 9], &cache, owner: 4) == (0, [4, 1]))
    }

    @Test("what was written, or computed in other batches, is never shared with another session")
    func written() {
        var cache = PrefixCache(step: 4)
        _ = compute(Array(0..<6), &cache, owner: 1)
        cache.append(Array(6..<12), asPrompt: false)
        #expect(compute(Array(0..<16), &cache, owner: 2).reused == 4)

        var mixed = PrefixCache(step: 4)
        _ = compute([0, 1, 2, 3, 4, 5], &mixed, owner: 1)
        // Goes on inside a step: [6, 7] completes it, but not in one batch.
        _ = compute(Array(0..<12), &mixed, owner: 1)
        #expect(compute(Array(0..<16), &mixed, owner: 2).reused == 4)
    }

    @Test("truncating after a failure forgets the rest")
    func truncation() {
        var cache = PrefixCache(step: 4)
        _ = compute(Array(0..<12), &cache, owner: 1)
        cache.truncate(to: 6)
        #expect(cache.tokens == Array(0..<6))
        #expect(compute(Array(0..<12), &cache, owner: 2).reused == 4)
        cache.truncate(to: 0)
        #expect(compute(Array(0..<12), &cache, owner: 2).reused == 0)
    }
}
