/// The two switches of the user.
public struct NetworkPermission: Sendable, Equatable {
    /// Whether research may use the web.
    public var isResearchOn: Bool
    /// Whether nothing at all may leave the machine, models included.
    public var isOffline: Bool

    public init(isResearchOn: Bool = true, isOffline: Bool = false) {
        self.isResearchOn = isResearchOn
        self.isOffline = isOffline
    }

    /// - Throws: ``FetchError`` with `.offline` or `.researchOff`.
    public func requireResearch() throws(FetchError) {
        if isOffline { throw FetchError(.offline, "Sotto is offline, so nothing is asked of the web; to change it: sotto settings set offline off") }
        if isResearchOn == false {
            throw FetchError(
                .researchOff, "web research is switched off, so nothing is asked of the web; to change it: sotto settings set research on")
        }
    }
}
