import Foundation
import Synchronization

/// A logger that is passed in, never made inside a library. Messages never hold task, transcript or page text.
public struct Log: Sendable {
    public enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let minimum: Level
    private let sink: @Sendable (Level, String) -> Void

    /// - Parameters:
    ///   - minimum: Messages below this level are not even built.
    ///   - sink: Receives each message, on the caller's thread.
    public init(minimum: Level = .info, sink: @escaping @Sendable (Level, String) -> Void) {
        self.minimum = minimum
        self.sink = sink
    }

    /// Drops everything.
    public static var none: Log { Log(minimum: .error) { _, _ in } }

    public func debug(_ message: @autoclosure () -> String) { write(.debug, message) }
    public func info(_ message: @autoclosure () -> String) { write(.info, message) }
    public func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
    public func error(_ message: @autoclosure () -> String) { write(.error, message) }

    private func write(_ level: Level, _ message: () -> String) {
        guard level >= minimum else { return }
        sink(level, message())
    }
}

/// How far a long piece of work has come.
public struct Progress: Sendable, Equatable {
    /// What is being done, for people: "Reading", "Downloading qwen2.5-coder".
    public var phase: String
    /// What it is being done to: a file name, a query.
    public var item: String
    public var completed: Int64
    /// Unknown when `nil`.
    public var total: Int64?

    public init(phase: String, item: String = "", completed: Int64 = 0, total: Int64? = nil) {
        self.phase = phase
        self.item = item
        self.completed = completed
        self.total = total
    }
}

/// Receives progress; called often, from any task, and must return at once.
public typealias ProgressHandler = @Sendable (Progress) -> Void
