/// One subcommand.
struct Command: Sendable {
    var name: String
    var summary: String
    var spec: ArgumentSpec
    /// Where it runs, by its arguments.
    var place: @Sendable (Arguments) -> Place = { _ in .here }
    var run: @Sendable (Arguments, Context) async throws -> Void

    static let all: [Command] = [
        serve, ask, agents, library, say, read, voices, transcribe, dictate, takes, page, search, ledger, data, models, doctor, settings,
    ]

    static var overview: String {
        let width = all.map(\.name.count).max() ?? 0
        let rows = all.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)" }.joined(separator: "\n")
        return """
            Sotto: a private voice and research agent that runs whole on this machine.

            \(rows)

            "sotto COMMAND --help" tells more. Results go to standard output, progress to standard error (--quiet drops it).
            Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
            """
    }
}
