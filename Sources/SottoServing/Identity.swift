/// How a client proved who it is.
public enum Identity: Sendable, Equatable {
    /// Not at all; only open routes are answered.
    case none
    /// With the server's key in the `Authorization` field.
    case key
    /// With the cookie of a session.
    case session
}
