/// Something that happened, as clients are told.
public struct LiveEvent: Sendable, Equatable {
    public var id: EventID
    /// What it is about, for example `agent.progress`: letters, digits, dots and hyphens.
    public var name: String
    /// One JSON value.
    public var data: String
}
