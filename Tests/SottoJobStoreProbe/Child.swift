import Foundation
import Glibc

/// The files of one run of a harness, and the processes that it starts on them.
struct Workshop {
    let folder: String
    var database: String { folder + "/jobs.sqlite" }
    var side: SideFile { SideFile(path: folder + "/effects.txt") }
    var acknowledged: SideFile { SideFile(path: folder + "/acknowledged.txt") }

    init(_ name: String) throws {
        folder = NSTemporaryDirectory() + "sotto-job-store-probe-\(name)-\(getpid())"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    func phase(_ name: String = "phase") -> String { folder + "/" + name }

    /// Starts this program again.
    func start(_ arguments: [String], phase: String = "phase", kill: String? = nil) throws -> Child {
        PhaseFile.clear(self.phase(phase))
        let process = Process()
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["PROBE_FOLDER"] = folder
        environment["PROBE_PHASE"] = self.phase(phase)
        environment["PROBE_KILL"] = kill
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        let child = Child(process: process, output: output, started: monotonic(), phaseFile: self.phase(phase))
        try process.run()
        return child
    }

    /// Runs this program and waits.
    func run(_ arguments: [String], kill: String? = nil) throws -> Child {
        let child = try start(arguments, kill: kill)
        child.wait()
        return child
    }
}

struct Child {
    let process: Process
    let output: Pipe
    let started: Int64
    let phaseFile: String

    var pid: pid_t { process.processIdentifier }
    var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }
    var hasFailed: Bool { process.terminationReason == .exit && process.terminationStatus != 0 }
    var phase: (phase: Int64, time: Int64) { PhaseFile.read(phaseFile) }

    func wait() { process.waitUntilExit() }
    func signal(_ number: Int32) { Glibc.kill(pid, number) }
    func text() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    /// Polls until the process is in the phase.
    ///
    /// - Returns: `false` when it ended or the time was up.
    func reached(_ wanted: Int64, within seconds: Double = 20) -> Bool {
        let end = monotonic() + Int64(seconds * 1e9)
        while monotonic() < end {
            if phase.phase == wanted { return true }
            if process.isRunning == false { return false }
            usleep(200)
        }
        return false
    }
}
