import Foundation
import SottoFetching
import SottoOwnership

/// Runs a command where it belongs: here, or in the process that owns the data.
struct Dispatcher: Sendable {
    let console: Console
    let environment: [String: String]

    /// - Returns: The exit status.
    func run(_ command: Command, _ arguments: Arguments, words: [String]) async throws -> Int32 {
        var place = command.place(arguments)
        if case .researcher = place {
            let permission = Settings.networkPermission(at: try Places(environment: environment).settings)
            place = (try? permission.requireResearch()) == nil ? .host : .owner
        }
        switch place {
        case .here, .researcher: break
        case .host:
            let places = try Places(environment: environment)
            // Without a data folder there can be no owner, and a question makes none.
            guard FileManager.default.fileExists(atPath: places.data) else { break }
            if let client = try await Ownership(places: places, environment: environment).host() { return try await forward(words, to: client) }
        case .owner:
            switch try await turn() {
            case .guest(let client): return try await forward(words, to: client)
            case .owner(let lock): return try await run(command, arguments, role: .owner, lock: lock)
            }
        case .newHost(let instead):
            let turn = try await turn()
            switch (turn, instead) {
            case (.guest(let client), .forward): return try await forward(words, to: client)
            case (.guest(let client), .refuse):
                throw CommandError("process \(client.process) works on the queue already; \"sotto agents list\" shows how far it is")
            case (.owner(let lock), _): return try await run(command, arguments, role: .host, lock: lock)
            }
        }
        try await command.run(arguments, try Context(console: console, environment: environment))
        return 0
    }

    private func turn() async throws -> Ownership.Turn {
        try await Ownership(places: try Places(environment: environment), environment: environment).turn(console: console)
    }

    private func run(_ command: Command, _ arguments: Arguments, role: Role, lock: OwnerLock) async throws -> Int32 {
        try await command.run(arguments, try Context(console: console, environment: environment, role: role, lock: lock))
        return 0
    }

    private func forward(_ words: [String], to client: OwnerClient) async throws -> Int32 {
        let command = GuestCommand(
            arguments: words, folder: FileManager.default.currentDirectoryPath, zone: TimeZone.current.identifier)
        let input = StandardInput.own
        return try await client.run(command, input: { try await input.next() }, show: { console.show($0) })
    }
}
