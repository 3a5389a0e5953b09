/// Bounds of one download by address.
public struct DownloadLimits: Sendable {
    /// Time to reach the server.
    public var connectTimeout: Duration = .seconds(20)
    /// A connection with less than ``slowestRate`` for this long is given up, then continued from where it stopped. At least a second.
    public var stallTimeout: Duration = .seconds(30)
    /// Bytes a second.
    public var slowestRate: Int = 1_000
    /// Time for one connection, whatever its rate.
    public var deadline: Duration = .seconds(6 * 3_600)
    public var maximumRedirects: Int = 5
    /// Connections in a row that brought no new bytes before the source is given up.
    public var fruitlessAttempts: Int = 3
    /// Wait before the second attempt; doubles from attempt to attempt.
    public var firstPause: Duration = .milliseconds(500)
    /// Names this program to the server.
    public var userAgent: String = "sotto"

    public init() {}
}

/// How one connection ended without an error of ours.
enum DownloadOutcome: Sendable, Equatable {
    case complete
    /// The connection broke; what came is kept and can be continued.
    case interrupted(reason: String)
    /// The server will not give this file.
    case refused(reason: String)
}
