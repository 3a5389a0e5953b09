/// Why a time, a rule or a zone was refused; the message names what was not understood and shows examples.
public struct ScheduleError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        case notUnderstood, unknownZone
        /// The time is over.
        case past
    }
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
