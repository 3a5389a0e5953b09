/// A command line that a guest hands to the owner, with what of its surroundings gives the words their meaning.
///
/// The environment is not part of it: the owner's own settings and secrets hold.
public struct GuestCommand: Sendable, Equatable, Codable {
    /// The words after the program's name.
    public var arguments: [String]
    /// The guest's working folder: an absolute path, for relative ones in the arguments.
    public var folder: String
    /// IANA name of the guest's time zone.
    public var zone: String

    public init(arguments: [String], folder: String, zone: String) {
        self.arguments = arguments
        self.folder = folder
        self.zone = zone
    }
}

/// How each side introduces itself. Its form never changes, so that every two versions understand each other's greeting.
public struct Greeting: Sendable, Equatable, Codable {
    /// The number of the form of all messages after the greeting.
    public static let protocolNumber = 1

    public var `protocol`: Int
    /// Of the program.
    public var version: String
    public var process: Int32

    public init(protocol number: Int = Self.protocolNumber, version: String, process: Int32) {
        self.protocol = number
        self.version = version
        self.process = process
    }
}
