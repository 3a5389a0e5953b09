/// Whether one more connection is taken.
public enum ConnectionAdmission: Sendable, Equatable {
    case accept
    /// In the place of the one that has waited longest without a request; if none waits, refuse.
    case replace
    case refuse

    /// - Parameters:
    ///   - open: Connections now.
    ///   - ofAddress: Those of the same address.
    public static func decide(open: Int, ofAddress: Int, limits: ServerLimits) -> ConnectionAdmission {
        // One address among others may not push them out; the only one there is may push itself out.
        if ofAddress >= limits.connectionsPerAddress, limits.connectionsPerAddress < limits.connections { return .refuse }
        return open >= limits.connections ? .replace : .accept
    }
}
