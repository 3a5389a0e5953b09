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
