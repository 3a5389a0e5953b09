import Foundation
import SottoSubprocess
import Testing

/// What only processes can show. `Benchmarks/job-store.sh` runs the same harnesses at full length.
@Suite(.serialized, .timeLimit(.minutes(10))) struct JobStoreProcessTests {
    /// The program that lies beside the running tests.
    private static let probe: String = {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let places = [CommandLine.arguments.first { $0.hasSuffix(".xctest") }, program].compactMap { $0 }
        let folders = places.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return folders.map { $0 + "/job-store-probe" }.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "job-store-probe not built"
    }()

    private func report(_ arguments: [String]) async throws -> [String: Any] {
        let result = try await Subprocess.run(
            .init(Self.probe, arguments, environment: ProcessInfo.processInfo.environment, deadline: .seconds(240)))
        let text = String(decoding: result.standardOutput, as: UTF8.self)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(result)")
    }

    @Test("killed anywhere: each job is completed once, no kept step is done again, nothing acknowledged is lost")
    func kills() async throws {
        let report = try await report(["kills", "40"])
        #expect(report["passed"] as? Bool == true, "\(report)")
        #expect(report["kills"] as? Int ?? 0 >= 40)
    }

    @Test("a queue of a status column fails the same harness", arguments: ["naive", "naive-reset"])
    func control(queue: String) async throws {
        let report = try await report(["kills", "20", queue])
        #expect(report["passed"] as? Bool == false, "\(report)")
        if queue == "naive" {
            #expect(report["notCompletedOnce"] as? Int ?? 0 > 0, "a job whose worker died is stuck")
        } else {
            #expect(report["keptStepsDoneAgain"] as? Int ?? 0 > 0, "a job whose worker died begins anew")
        }
    }

    @Test("two workers do each job once", arguments: ["tasks", "processes"])
    func race(workers: String) async throws {
        let report = try await report(["race", workers, "150"])
        #expect(report["passed"] as? Bool == true, "\(report)")
    }

    @Test("a worker that was stopped for longer than its lease changes nothing when it goes on")
    func stopped() async throws {
        let report = try await report(["stop", "2"])
        #expect(report["passed"] as? Bool == true, "\(report)")
    }

    @Test("an orphan runs again within a second of the new owner's start")
    func recovery() async throws {
        let report = try await report(["recovery", "5"])
        #expect(report["passed"] as? Bool == true, "\(report)")
    }
}
