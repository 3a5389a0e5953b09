import Foundation
import SottoSubprocess
import Testing

@Suite struct ServiceUnitTests {
    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Scripts").path
    static let hasAnalyzer = (try? Subprocess.locate("systemd-analyze")) != nil

    private func unit(_ program: String) async throws -> String {
        String(decoding: try await Subprocess.run(Subprocess.Request(Self.scripts + "/service-unit", [program])).checked(), as: UTF8.self)
    }

    /// What systemd says about the unit of a program at a path; nothing when all is well.
    private func complaints(_ unit: String) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-unit-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(unit.utf8).write(to: URL(fileURLWithPath: folder + "/sotto.service"))
        let output = try await Subprocess.run(
            Subprocess.Request(
                "systemd-analyze", ["--user", "--man=no", "verify", folder + "/sotto.service"],
                environment: ["XDG_RUNTIME_DIR": folder, "HOME": folder]))
        return output.errorText + (output.status == .exited(0) ? "" : " (\(output.status))")
    }

    @Test(
        "systemd takes the unit as it is, also for a path with everything that means something to it", .enabled(if: hasAnalyzer, "needs systemd"),
        arguments: ["sotto", "a b/100%h $HOME ${X} ; & größe/sotto"])
    func verified(name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-program-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = folder + "/" + name
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: program).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        // It looks whether the program is there and may be run, so the path arrived as it is.
        #expect(try await complaints(try await unit(program)) == "")
        #expect(try await complaints(try await unit(folder + "/nowhere/sotto")).contains("nowhere/sotto"))
    }

    @Test("what systemd does not know would be told", .enabled(if: hasAnalyzer, "needs systemd"))
    func unknown() async throws {
        let text = try await unit("/bin/true").replacingOccurrences(of: "RestartSec=5", with: "RestartSecs=5")
        #expect(try await complaints(text).contains("RestartSecs"))
    }

    @Test("little of the system can be reached from inside, by systemd's own count", .enabled(if: hasAnalyzer, "needs systemd"))
    func exposure() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-\(UUID().uuidString).service").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(try await unit("/bin/true").utf8).write(to: URL(fileURLWithPath: file))
        // 10 is a service without any protection: 9.6 or so. Of tenths.
        let output = try await Subprocess.run(
            Subprocess.Request("systemd-analyze", ["security", "--offline=true", "--threshold=40", "--no-pager", file]))
        #expect(output.status == .exited(0), "\(output.errorText)")
    }

    @Test(
        "a path that cannot stand in a unit is refused, with the reason",
        arguments: [("bin/sotto", "absolute"), ("/a\"b/sotto", "quotes"), ("/a\\b/sotto", "backslashes"), ("/a\nb/sotto", "line break")])
    func refused(program: String, reason: String) async throws {
        let output = try await Subprocess.run(Subprocess.Request(Self.scripts + "/service-unit", [program]))
        #expect(output.status == .exited(2) && output.errorText.contains(reason), "\(output.errorText)")
    }
}
