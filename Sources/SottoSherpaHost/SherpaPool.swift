import SottoSherpaProtocol

/// Children that have one model loaded and wait for work.
///
/// Each recording and each speech has a child to itself, so nothing of one can reach another; one child is kept when it is given back.
actor SherpaPool {
    private let load: SherpaLoad
    private let configuration: SherpaConfiguration
    private var idle: SherpaConnection?

    init(_ load: SherpaLoad, _ configuration: SherpaConfiguration) {
        self.load = load
        self.configuration = configuration
    }

    /// The waiting child, if there is one; the caller opens another else.
    func takeIdle() -> sending SherpaConnection? {
        nonisolated(unsafe) let connection = idle  // It leaves the actor for good.
        idle = nil
        return unsafe connection
    }

    /// A child with the model loaded.
    ///
    /// - Throws: ``SherpaHostError``; `CancellationError`.
    nonisolated(nonsending) func take() async throws -> sending SherpaConnection {
        if let connection = await takeIdle() { return connection }
        return try await SherpaConnection.open(load, configuration)
    }

    /// Keeps a child for the next one who needs it, unless it is of no use any more or another one waits already.
    func put(_ connection: sending SherpaConnection) {
        if idle == nil, connection.isUsable { idle = connection }
    }

    /// Ends the child that waits, and frees the model.
    func unload() { idle = nil }
}
