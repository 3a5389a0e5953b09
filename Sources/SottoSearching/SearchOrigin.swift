/// On whose behalf a search is made; the network ledger shows it.
public struct SearchOrigin: Sendable, Equatable {
    /// The job that asks.
    public var job: Int64?
    /// What led to the query: "the user", "the task", "round 2".
    public var words: String

    public init(job: Int64? = nil, _ words: String = "") {
        self.job = job
        self.words = words
    }
}
