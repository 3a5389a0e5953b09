import Foundation
import Glibc
import SottoObservability
import Synchronization

/// The settings as they stand on the disk: a process that runs for days obeys a change at once, whoever made it.
final class SettingsFile: Sendable {
    /// What tells one state of the file from another.
    private struct Stamp: Equatable {
        var seconds: Int
        var nanoseconds: Int
        var size: Int64
        var number: UInt64
    }

    private struct State {
        var settings: Settings
        var warnings: [String]
        var stamp: Stamp?
    }

    let path: String
    private let state: Mutex<State>

    init(path: String) {
        self.path = path
        let (settings, warnings, stamp) = Self.read(path)
        state = Mutex(State(settings: settings, warnings: warnings, stamp: stamp))
    }

    /// What the file says now; defaults for what it does not say.
    var current: Settings { refreshed { $0.settings } }

    /// What is wrong with the file, one line each.
    var warnings: [String] { refreshed { $0.warnings } }

    /// A text that changes with every change of the file.
    var revision: String { refreshed { Self.revision($0) } }

    /// Writes settings, whole or not at all.
    ///
    /// - Parameter expected: Refused when the file is no longer at this ``revision``.
    /// - Returns: Whether it was at that revision; `false` wrote nothing.
    /// - Throws: ``CommandError`` when it cannot be written.
    @discardableResult
    func write(_ settings: Settings, ifAt expected: String? = nil) throws -> Bool {
        // In one step: of two that saw the same revision, one comes too late.
        try refreshed { state in
            guard expected == nil || expected == Self.revision(state) else { return false }
            let file = URL(fileURLWithPath: path)
            do {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try settings.encoded().write(to: file, options: .atomic)
            } catch let error as NSError {
                let cause = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription ?? error.localizedDescription
                throw CommandError("\(file.path) cannot be written (\(cause)); free some space, or check who owns its folder")
            }
            return true
        }
    }

    private static func revision(_ state: State) -> String {
        state.stamp.map { "\($0.seconds).\($0.nanoseconds)-\($0.size)-\($0.number)" } ?? "none"
    }

    private func refreshed<Value>(_ value: (State) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            if Self.stamp(path) != state.stamp {
                let (settings, warnings, stamp) = Self.read(path)
                state = State(settings: settings, warnings: warnings, stamp: stamp)
            }
            return try value(state)
        }
    }

    private static func read(_ path: String) -> (Settings, [String], Stamp?) {
        // The stamp first: what is written meanwhile is read once more, and not missed.
        let stamp = stamp(path)
        guard let bytes = FileManager.default.contents(atPath: path) else { return (Settings(), [], stamp) }
        let (settings, warnings) = Settings.parse(bytes)
        return (settings, warnings, stamp)
    }

    private static func stamp(_ path: String) -> Stamp? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return Stamp(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec, size: Int64(facts.st_size), number: UInt64(facts.st_ino))
    }
}
