public import SottoJobStore
import Foundation
import Synchronization

/// A clock that stands still until it is moved, and tells who sleeps by it.
public final class ManualClock: Clock, Sendable {
    public struct Instant: InstantProtocol {
        /// Since the clock was made.
        public var offset: Swift.Duration
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var next = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var watchers: [(isSatisfied: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (answer, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return (nil, Self.satisfied(&state))
                }
                if let answer { continuation.resume(with: answer) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                    state.cancelled.insert(number)
                    return Sleeper?.none
                }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the time on and wakes those whose time has come.
    public func advance(by duration: Swift.Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns when at least `count` tasks sleep.
    public func sleepers(atLeast count: Int) async { await watch { $0.sleepers.count >= count } }

    /// Returns when a task sleeps that will wake at `offset` or before.
    public func sleeper(dueBy offset: Swift.Duration) async { await watch { $0.sleepers.values.contains { $0.deadline.offset <= offset } } }

    private func watch(_ isSatisfied: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isEnough = state.withLock { state in
                if isSatisfied(state) { return true }
                state.watchers.append((isSatisfied, continuation))
                return false
            }
            if isEnough { continuation.resume() }
        }
    }

    private static func satisfied(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        let watchers = state.watchers
        state.watchers = []
        var ready: [CheckedContinuation<Void, Never>] = []
        for watcher in watchers {
            if watcher.isSatisfied(state) { ready.append(watcher.continuation) } else { state.watchers.append(watcher) }
        }
        return ready
    }

    /// The moment for jobs: the date counts from 1 January 2026, 00:00 UTC.
    public var jobClock: JobClock {
        { JobInstant(date: Date(timeIntervalSince1970: 1_767_225_600).addingTimeInterval(self.now.offset / .seconds(1)), uptime: self.now.offset, boot: "boot-1") }
    }
}
