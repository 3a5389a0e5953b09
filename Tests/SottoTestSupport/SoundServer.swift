import Foundation
import SottoStreams
public import SottoSubprocess

/// A PulseAudio daemon of the test's own, with its socket and state in a folder of its own.
public final class SoundServer: Sendable {
    /// Whether the programs that it needs are there.
    public static let isInstalled = ["pulseaudio", "pactl", "ffmpeg"].allSatisfy { (try? Subprocess.locate($0)) != nil }

    public let folder: String
    /// For `PULSE_SERVER`.
    public var address: String { "unix:" + folder + "/native" }
    private let process: Task<Void, Never>
    private let hasEnded: CancellationFlag
    private var environment: [String: String] {
        ["HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder, "PULSE_SERVER": address, "PULSE_STATE_PATH": folder, "PULSE_RUNTIME_PATH": folder, "PATH": "/usr/bin:/bin"]
    }

    /// - Parameter modules: Loaded at the start, before any client.
    public init(modules: [String] = [], folder: String? = nil) throws {
        self.folder = folder ?? FileManager.default.temporaryDirectory.appendingPathComponent("sotto-pulse-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Not Foundation's Process: pulseaudio closes the descriptor by which that one learns of a child's end, and it then waits for ever.
        var request = Subprocess.Request(
            "pulseaudio",
            ["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--log-target=stderr", "--log-level=error"]
                + (["module-native-protocol-unix auth-anonymous=1 socket=\(self.folder)/native"] + modules).flatMap { ["-L", $0] })
        request.environment = ["HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, "PULSE_RUNTIME_PATH": self.folder, "PULSE_STATE_PATH": self.folder]
        let ended = CancellationFlag()
        hasEnded = ended
        // Unstructured: it lives as long as the test wants it to.
        process = Task { [request] in
            do { for try await _ in Subprocess.stream(request) {} } catch {}
            ended.cancel()
        }
    }

    /// Waits until it answers.
    public func ready() async throws {
        while hasEnded.isCancelled == false {
            if try await control(["info"]).status == .exited(0) { return }
            await Task.yield()
        }
        throw SubprocessError(.ended, "pulseaudio ended at once")
    }

    /// Runs `pactl`.
    @discardableResult
    public func control(_ arguments: [String]) async throws -> Subprocess.Output {
        var request = Subprocess.Request("pactl", arguments)
        request.environment = environment
        request.deadline = .seconds(20)
        return try await Subprocess.run(request)
    }

    /// Loads a module and gives its number.
    public func load(_ words: String...) async throws -> String {
        String(decoding: try await control(["load-module"] + words).checked(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Plays a file into a sink, to its end.
    public func play(_ path: String, into sink: String) async throws {
        var request = Subprocess.Request("paplay", ["--device=\(sink)", path])
        request.environment = environment
        _ = try await Subprocess.run(request).checked()
    }

    /// Kills it, as a crash would end it for its clients.
    public func stop() async {
        process.cancel()
        await process.value
    }

    /// Kills it and removes its folder.
    public func remove() {
        process.cancel()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
