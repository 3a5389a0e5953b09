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

extension Greeting {
    /// Why an owner with this greeting cannot serve a guest with that one, for the guest to read; `nil` when it can.
    func objection(to guest: Greeting) -> String? {
        guard guest.protocol != `protocol` || guest.version != version else { return nil }
        return "process \(process), which owns Sotto's data, is Sotto \(version) (messages \(`protocol`)), and this is Sotto \(guest.version) "
            + "(messages \(guest.protocol)); end process \(process) and start it again with the newer program"
    }
}
