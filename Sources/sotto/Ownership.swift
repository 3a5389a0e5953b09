import Foundation
import SottoOwnership

/// Finds the owner of the data, or becomes it.
struct Ownership: Sendable {
    /// What a process may do next.
    enum Turn: Sendable {
        /// Hand the command to the one that serves.
        case guest(OwnerClient)
        /// Do it: the data is this process's.
        case owner(OwnerLock)
    }

    let folder: RuntimeFolder

    /// Makes the data folder when it is missing.
    init(places: Places, environment: [String: String]) throws {
        do {
            try FileManager.default.createDirectory(atPath: places.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError("\(places.data) cannot be made: \(error.localizedDescription); set XDG_DATA_HOME to a folder of yours")
        }
        folder = try RuntimeFolder(dataFolder: places.data, environment: environment)
    }

    /// The one that serves; `nil` when nobody does.
    func host() async throws -> OwnerClient? { try await OwnerClient.connect(folder, version: Sotto.version) }

    /// Waits while another process owns the data and does not serve: one that adds folders, for example.
    func turn(console: Console) async throws -> Turn {
        var hasNoted = false
        while true {
            if let client = try await host() { return .guest(client) }
            if let lock = try OwnerLock.acquire(folder, version: Sotto.version) { return .owner(lock) }
            if hasNoted == false {
                hasNoted = true
                let holder = OwnerLock.holder(folder).map { "process \($0.process)" } ?? "another process"
                console.note("Waiting: \(holder) is changing Sotto's data (Ctrl-C gives up)")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

extension Context {
    /// Runs `body` as the owner of the data, waiting for other owners first.
    func owning<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard role == .visitor else { return try await body() }
        switch try await Ownership(places: places, environment: environment).turn(console: console) {
        case .owner(let lock):
            defer { withExtendedLifetime(lock) {} }
            return try await body()
        case .guest(let client):
            throw CommandError("process \(client.process) has begun to serve Sotto's data; run the command again")
        }
    }
}
