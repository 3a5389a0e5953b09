public import struct Foundation.Date

/// What one provider said in the course of a search.
public struct SearchAttempt: Sendable, Equatable {
    public var provider: ProviderID
    public var outcome: SearchOutcome.Kind
    /// What happened, in one sentence without a period.
    public var cause: String
    /// What to do; empty when nothing is wrong.
    public var advice: String
    public var hits: Int
    /// `false` when the provider rests after an earlier failure and was left alone.
    public var wasAsked: Bool
    /// Until when it is left alone; `nil` when it may be asked again.
    public var restsUntil: Date?
    /// How long the request took, without waiting for its turn.
    public var duration: Duration
    /// The reply that was not understood, for a bug report.
    public var page: UnrecognizedPage?

    public init(
        provider: ProviderID, outcome: SearchOutcome.Kind, cause: String, advice: String, hits: Int = 0, wasAsked: Bool, restsUntil: Date? = nil,
        duration: Duration = .zero, page: UnrecognizedPage? = nil
    ) {
        self.provider = provider
        self.outcome = outcome
        self.cause = cause
        self.advice = advice
        self.hits = hits
        self.wasAsked = wasAsked
        self.restsUntil = restsUntil
        self.duration = duration
        self.page = page
    }
}
