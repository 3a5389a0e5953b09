import Foundation
import Glibc
import SottoOwnership
import SottoTakes

/// The right to the microphone: one process of this user at a time, and others are told which.
struct MicrophoneLock: Sendable {
    private let file: LockedFile

    private static func path(_ context: Context) throws -> String {
        // As for the data: one folder that only this user may enter.
        try Ownership(places: context.places, environment: context.environment).folder.path + "/microphone"
    }

    /// - Throws: ``CommandError`` that names the process which records.
    static func acquire(_ context: Context) throws -> MicrophoneLock {
        let path = try path(context)
        guard let file = try LockedFile.open(path, create: true) else {
            let holder = try holder(context).map { "process \($0)" } ?? "another process"
            throw CommandError("\(holder) is using the microphone; end it with: sotto dictate stop")
        }
        file.setSize(0)
        try file.write(Array("\(getpid())\n".utf8), at: 0)
        return MicrophoneLock(file: file)
    }

    /// The process that records; `nil` when none does.
    static func holder(_ context: Context) throws -> Int32? {
        let path = try path(context)
        guard FileManager.default.fileExists(atPath: path), try LockedFile.open(path, create: false) == nil else { return nil }
        let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Asks the process that records to end, and waits until it has.
    ///
    /// - Returns: Whether there was one.
    static func stopHolder(_ context: Context) async throws -> Bool {
        guard let process = try holder(context) else { return false }
        _ = kill(process, SIGTERM)
        while try holder(context) == process { try await Task.sleep(for: .milliseconds(30)) }
        return true
    }
}
