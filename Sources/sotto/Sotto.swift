import Dispatch
import Foundation
import Glibc

/// The command-line program.
@main
struct Sotto {
    static let version = "0.1.0"

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        umask(0o077)
        let words = Array(CommandLine.arguments.dropFirst())
        let console = Console(isQuiet: words.contains("--quiet"))
        let status = await run(words.filter { $0 != "--quiet" }, console: console)
        exit(status)
    }

    /// - Returns: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
    static func run(_ words: [String], console: Console) async -> Int32 {
        await run(words, console: console) { command, arguments in
            try await interruptible {
                try await Dispatcher(console: console, environment: ProcessInfo.processInfo.environment).run(command, arguments, words: words)
            }
        }
    }

    /// Finds the command, lets `perform` run it, and says what it threw.
    ///
    /// - Parameter perform: Gives the exit status.
    static func run(_ words: [String], console: Console, perform: (Command, Arguments) async throws -> Int32) async -> Int32 {
        guard let name = words.first, ["help", "--help", "-h"].contains(name) == false else {
            console.result(Command.overview)
            return words.isEmpty ? 2 : 0
        }
        if name == "--version" || name == "version" {
            console.result("sotto \(version)")
            return 0
        }
        guard let command = Command.all.first(where: { $0.name == name }) else {
            let near = Spelling.nearest(to: name, among: Command.all.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
            console.error("unknown command \"\(name)\"\(near) (\"sotto help\" lists them)")
            return 2
        }
        do {
            let arguments = try Arguments(Array(words.dropFirst()), spec: command.spec)
            if arguments.has("help") {
                console.result(command.spec.usage)
                return 0
            }
            return try await perform(command, arguments)
        } catch let error as UsageError {
            console.error(error.message)
            console.note(error.usage)
            return 2
        } catch is CancellationError {
            console.error("stopped; nothing half-written was left")
            return 130
        } catch {
            console.error(String(describing: error))
            return 1
        }
    }

    /// Runs `body` in a task that Ctrl-C, SIGTERM or a closed terminal cancels; a second Ctrl-C ends the process at once.
    private static func interruptible<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        // Unstructured: the signal handler needs a handle to cancel.
        let work = Task { try await body() }
        // Under nohup a closed terminal is to be ignored, as it was before we came.
        let survivesTerminal = unsafe unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        let sources = (survivesTerminal ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]).map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if work.isCancelled { _exit(130) }
                work.cancel()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return try await work.value
    }
}
