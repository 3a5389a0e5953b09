import Foundation
import Glibc
import SottoModelStore
import SottoObservability
import Synchronization

/// A process of its own around the model store, so that tests can kill it at any moment and run two at once.
///
/// `model-store-probe MANIFEST ROOT DATA list|pull|verify|import|remove ARGUMENT…`, the environment is the children's.
/// With `PROBE_KILL=N:M` it kills itself with signal 9, M microseconds after step N of the progress.
@main struct Probe {
    private static let steps = Atomic<Int>(0)

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5 else {
            print("usage: model-store-probe MANIFEST ROOT DATA list|pull|verify|import|remove ARGUMENT…")
            exit(2)
        }
        do {
            try await run(arguments[4], Array(arguments[5...]), manifest: arguments[1], root: arguments[2], data: arguments[3])
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    static func run(_ command: String, _ rest: [String], manifest: String, root: String, data: String) async throws {
        let environment = ProcessInfo.processInfo.environment
        let store = ModelStore(
            manifest: try ModelManifest.load(from: manifest), configuration: .init(root: root, environment: environment),
            ledger: JSONLinesLedger(folder: data), log: Log { _, message in say(message) })
        let kill = (environment["PROBE_KILL"] ?? "").split(separator: ":").compactMap { Int($0) }
        let progress: PullProgressHandler = { step in
            let count = steps.add(1, ordering: .relaxed).newValue
            if kill.count == 2, count == kill[0] {
                let delay = useconds_t(kill[1])
                Thread.detachNewThread {
                    usleep(delay)
                    Glibc.kill(getpid(), SIGKILL)
                }
            }
            show("\(step.phase.rawValue) \(step.model) \(step.item) \(step.modelCompleted)/\(step.modelTotal) \(step.completed)/\(step.total)")
        }
        switch command {
        case "pull": print(try await store.pull(rest, progress: progress))
        case "list": for row in try await store.list() { print(row.id, row.role, row.size, row.license, row.state, row.sets) }
        case "verify": for row in try await store.verify(rest) { print(row.id, row.state) }
        case "import": print(try await store.import(rest[0], from: rest[1], progress: progress))
        case "remove": print(try await store.remove(rest[0]))
        default: exit(2)
        }
    }

    static func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
