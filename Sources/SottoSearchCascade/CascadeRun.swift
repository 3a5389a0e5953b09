internal import SottoSearching

/// One search's way through the providers. A value without clock and network.
///
/// Web providers are asked one after the other until one answers; archives are asked beside them. A provider that rests is passed over.
struct CascadeRun: Sendable {
    struct Candidate: Sendable, Equatable {
        var id: ProviderID
        var scope: SearchScope
        var rests: Bool
    }

    enum Action: Sendable, Equatable {
        case ask(ProviderID)
        /// It is passed over: noted, not asked.
        case skip(ProviderID)
        case finish
    }

    /// The archives that are asked at once.
    let beside: [ProviderID]
    /// Archives that rest.
    let besideResting: [ProviderID]
    private var chain: [Candidate]
    private let hasWeb: Bool
    private var isAnswered = false
    private var said: [(scope: SearchScope, kind: SearchOutcome.Kind)] = []

    init(_ candidates: [Candidate]) {
        beside = candidates.filter { $0.scope == .local && $0.rests == false }.map(\.id)
        besideResting = candidates.filter { $0.scope == .local && $0.rests }.map(\.id)
        chain = candidates.filter { $0.scope != .local }
        hasWeb = candidates.contains { $0.scope == .web }
    }

    mutating func next() -> Action {
        guard isAnswered == false, chain.isEmpty == false else { return .finish }
        let candidate = chain.removeFirst()
        return candidate.rests ? .skip(candidate.id) : .ask(candidate.id)
    }

    /// Ends the chain: there is no time left.
    mutating func stop() -> [ProviderID] {
        defer { chain = [] }
        return isAnswered ? [] : chain.map(\.id)
    }

    mutating func take(_ kind: SearchOutcome.Kind, from scope: SearchScope) {
        said.append((scope, kind))
        switch (kind, scope) {
        case (.results, .web), (.results, .facts), (.empty, .web): isAnswered = true
        default: break
        }
    }

    /// - Parameter hits: How many hits are left after merging.
    func verdict(hits: Int) -> SearchReport.Verdict {
        if hits > 0 { return .found }
        // Only who covers the web can say that it holds nothing; without such a one, the others speak for what they have.
        let isEmpty = said.contains { $0.kind == .empty && ($0.scope == .web || hasWeb == false) }
        return isEmpty ? .nothingFound : .failed
    }
}
