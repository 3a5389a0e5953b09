@testable import SottoServing
import Synchronization

/// Plays the socket of a connection: sends what it is told, takes what comes.
final class ScriptedClient: Sendable {
    let connection: Connection
    let relay: Relay

    init(limits: ServerLimits = ServerLimits(), clock: any Clock<Duration> = ContinuousClock()) {
        let relay = Relay()
        connection = Connection(id: 1, address: "127.0.0.1", limits: limits, clock: clock) { relay.note($0) }
        self.relay = relay
    }

    /// Remembers what was signalled, and wakes whoever waits for it.
    final class Relay: Sendable {
        private let state = Mutex<(signals: [Connection.Signal], waiting: CheckedContinuation<Void, Never>?)>(([], nil))

        func note(_ signal: Connection.Signal) {
            let waiting = state.withLock { state in
                state.signals.append(signal)
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }

        var all: [Connection.Signal] { state.withLock { $0.signals } }

        /// Returns when there was a signal since the last call.
        func next(after count: Int) async {
            await withCheckedContinuation { continuation in
                let runNow = state.withLock { state in
                    if state.signals.count > count { return true }
                    state.waiting = continuation
                    return false
                }
                if runNow { continuation.resume() }
            }
        }
    }

    func send(_ text: String) { _ = connection.receive(Array(text.utf8)) }

    /// Everything that is sent until the text is complete in the eyes of `isEnough`, or the connection ends.
    func output(until isEnough: (String) -> Bool = { _ in false }) async -> String {
        var bytes: [UInt8] = []
        while true {
            let seen = relay.all.count
            switch connection.takeOutput(atMost: 1 << 20) {
            case .bytes(let piece):
                bytes += piece
                if isEnough(String(decoding: bytes, as: UTF8.self)) { return String(decoding: bytes, as: UTF8.self) }
            case .end: return String(decoding: bytes, as: UTF8.self) + (relay.all.contains(.abort) ? "<aborted>" : "")
            case .idle:
                if relay.all.contains(.abort) { return String(decoding: bytes, as: UTF8.self) + "<aborted>" }
                await relay.next(after: seen)
            }
        }
    }
}
