/// Which tokens the model's memory holds, and how much of them the next prompt may keep.
///
/// Within a session the longest common prefix counts, token by token. Another session keeps only what was computed in
/// whole prompt steps from the beginning, in the same batches as it would compute itself: floating-point sums depend on
/// the batch's shape, and one job's answer must not depend on which job ran before it.
struct PrefixCache {
    /// The tokens whose keys and values are in memory, in order.
    private(set) var tokens: [Int32] = []
    private let step: Int
    private var owner: UInt64?
    /// How many leading tokens were computed in whole steps.
    private var aligned = 0

    /// - Parameter step: Tokens of one prompt step.
    init(step: Int) {
        self.step = step
    }

    /// Gives the memory to a session and forgets what its prompt does not share.
    ///
    /// - Returns: How many leading tokens need not be computed: always fewer than the prompt has, because the last
    ///   token's logits are needed.
    mutating func begin(_ prompt: [Int32], owner newOwner: UInt64) -> Int {
        var common = 0
        let limit = min(tokens.count, prompt.count - 1)
        while common < limit, tokens[common] == prompt[common] { common += 1 }
        if owner != newOwner { common = min(common, aligned) / step * step }
        truncate(to: common)
        owner = newOwner
        return common
    }

    /// How many of the prompt's remaining tokens the next step takes: steps end at multiples of the step size, so that
    /// the same prompt is always cut in the same places.
    func nextStep(remaining: Int) -> Int {
        min(remaining, step - tokens.count % step)
    }

    /// Records tokens that were computed.
    mutating func append(_ computed: some Collection<Int32>, asPrompt: Bool) {
        if asPrompt, aligned == tokens.count, computed.count == step { aligned += step }
        tokens += computed
    }

    /// Forgets everything from a position on.
    mutating func truncate(to count: Int) {
        tokens.removeLast(tokens.count - min(count, tokens.count))
        aligned = min(aligned, tokens.count / step * step)
    }
}
