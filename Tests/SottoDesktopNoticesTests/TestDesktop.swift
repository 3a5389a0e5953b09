import Foundation
import Glibc
import SottoSubprocess

/// A session bus of the test's own, with or without a notification service on it.
final class TestDesktop: @unchecked Sendable {
    // Touched by the one test that made it.
    private let bus: Process
    private var service: Process?
    private let lines: FileHandle
    private let folder: String
    let address: String

    private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clients/desktop.py").path

    static let canRun: Bool = {
        guard (try? Subprocess.locate("dbus-daemon")) != nil, FileManager.default.fileExists(atPath: "/usr/share/dbus-1/session.conf") else {
            return false
        }
        let probe = process(["/usr/bin/python3", client, "probe"])
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    /// - Parameter service: What the service does; `nil` for a bus without one.
    init(service kind: String?) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-bus-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        bus = Self.process(["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=unix:path=\(folder)/bus"])
        let output = Pipe()
        bus.standardOutput = output
        try bus.run()
        // The daemon listens once it has said where.
        address = String(decoding: Self.line(output.fileHandleForReading), as: UTF8.self)
        let told = Pipe()
        lines = told.fileHandleForReading
        guard let kind else { return }
        let service = Self.process(["/usr/bin/python3", Self.client, kind])
        service.environment = ["PATH": "/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": address]
        service.standardOutput = told
        try service.run()
        self.service = service
        _ = Self.line(lines)
    }

    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }
    /// As systemd's user session has it: the bus is where everybody looks.
    var runtimeEnvironment: [String: String] { ["XDG_RUNTIME_DIR": folder] }

    /// The next call that the service got.
    func call() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Self.line(lines)) as? [String: Any] ?? [:]
    }

    func stop() {
        for process in [service, bus].compactMap(\.self) {
            // Children of a test may have been born with the other signals blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func process(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        return process
    }

    private static func line(_ file: FileHandle) -> Data {
        var line = Data()
        while let byte = try? file.read(upToCount: 1), byte.isEmpty == false, byte.first != 0x0A { line += byte }
        return line
    }
}
