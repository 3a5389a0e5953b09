import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability
import SottoOwnership
import SottoStreams

/// What guests' commands need to know of the host in which they run.
struct Hosting: Sendable {
    let runner: JobRunner
    /// Raised when the host takes no more guests: those that only watch should leave.
    let isEnding: CancellationFlag
    /// What else than jobs was changed.
    let announcements = Announcements()
    /// An address that opens the app; `nil` while the host shows none.
    var appAddress: (@Sendable () -> String?)?

    /// What is to be asked for anew.
    enum Subject: String, Sendable {
        case jobRemoved = "job-removed"
        case schedules, library, voices, settings, takes, devices
    }
}

/// The process that owns the data: works on the queue and runs the commands of other processes.
struct Host: Sendable {
    let context: Context
    let lock: OwnerLock
    let handlers: [any JobHandler]
    var appAddress: (@Sendable () -> String?)?

    /// What a host does besides: it is given what the host works with, and the newest event of before the start.
    typealias Beside = @Sendable (_ hosting: Hosting, _ store: any JobStore, _ clock: @escaping JobClock, _ last: Int64) async throws -> Void

    /// Serves until the task is cancelled, or until nothing is due. Jobs that run are given back, unharmed.
    ///
    /// - Parameter beside: Goes on as long as the host does; what it throws ends the host.
    /// - Throws: `CancellationError`, ``OwnershipError``, ``JobStoreError``.
    func run(untilIdle: Bool, beside: Beside? = nil) async throws {
        guard let store = try context.engines.jobs(writing: true) else { throw CommandError("the queue cannot be opened") }
        let clock = try context.jobClock()
        let worker = "\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString.prefix(8).lowercased())"
        let runner = JobRunner(store: store, handlers: handlers, worker: worker, now: clock, log: context.log)
        let hosting = Hosting(runner: runner, isEnding: CancellationFlag(), appAddress: appAddress)
        let last = try await Self.lastEvent(in: store)
        let server = try OwnerServer(lock: lock, version: Sotto.version)
        if untilIdle == false { context.console.note("Working on the queue; other sotto commands are served. Ctrl-C stops and loses nothing") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.run { await Self.serve($0, $1, context: context, hosting: hosting) } }
            group.addTask { try await report(runner, after: last, clock) }
            do {
                if let beside {
                    try await withThrowingTaskGroup(of: Void.self) { both in
                        both.addTask { try await runner.run(untilIdle: untilIdle) }
                        both.addTask { try await beside(hosting, store, clock, last) }
                        defer { both.cancelAll() }
                        try await both.next()
                    }
                } else {
                    try await runner.run(untilIdle: untilIdle)
                }
            } catch {
                hosting.isEnding.cancel()
                throw error
            }
            // Only when idle. Guests that are here may finish, and what they have added meanwhile is done too.
            hosting.isEnding.cancel()
            server.stopAccepting()
            try await group.next()
            try await runner.run(untilIdle: true)
            group.cancelAll()
        }
    }

    /// Runs a guest's command as if it had been called here.
    private static func serve(_ command: GuestCommand, _ guest: Guest, context: Context, hosting: Hosting) async -> Int32 {
        let console = Console(forwardingTo: { guest.show($0) })
        return await Sotto.run(command.arguments, console: console) { found, arguments in
            let zone = TimeZone(identifier: command.zone) ?? context.zone
            let guestContext = Context(
                context, console: console, folder: command.folder, zone: zone, input: StandardInput { try await guest.nextInput() }, hosting: hosting)
            try await found.run(arguments, guestContext)
            return 0
        }
    }

    /// Tells on this console what the workers do.
    private func report(_ runner: JobRunner, after last: Int64, _ clock: JobClock) async throws {
        let zone = try context.scheduleZone()
        do {
            try await runner.follow(after: last, job: nil) { event in
                let words = JobWords(now: clock().date, zone: zone, isServed: true)
                context.console.note("job \(event.job)  \(words.line(event))")
            }
        } catch is CancellationError {
            return
        }
    }

    private static func lastEvent(in store: any JobStore) async throws -> Int64 {
        var last: Int64 = 0
        while let event = try await store.events(after: last, job: nil, limit: 1000).last { last = event.id }
        return last
    }
}
