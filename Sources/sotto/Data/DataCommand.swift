import Foundation
import SottoAgents
import SottoJobStore
import SottoObservability

extension Command {
    private static let dataSpec = ArgumentSpec(
        """
        usage: sotto data show [--json]
               sotto data export --output FILE.zip [--with-secrets]
               sotto data erase PART… [--yes]

          show            what Sotto keeps on this machine, how much of it, and for how long
          export          all of it that is yours, in one archive: tasks in Markdown and JSON, the database, recordings, voices, settings.
                          Models, pages of the web and speech can be had again and are not in it
          erase           deletes parts, so that nothing of them is left in Sotto's files: agents, library, ledger, takes, voices,
                          speech, pages, transcripts, models, settings, secrets, key, access; or all
          --with-secrets  the keys of search providers too, and the key that signs voices
          --yes           does not ask
        """,
        ["json": .flag, "output": .value("a file to write"), "with-secrets": .flag, "yes": .flag])

    /// Which options each word takes.
    private static let dataOptions: [String: Set<String>] = ["show": ["json"], "export": ["output", "with-secrets"], "erase": ["yes"]]

    static let data = Command(
        name: "data", summary: "show, export and erase what Sotto keeps", spec: dataSpec,
        place: { arguments in
            switch arguments.positional.first {
            case "show": .host
            // Nobody may write meanwhile.
            case "export", "erase": .owner
            default: .here
            }
        },
        run: { arguments, context in
            let usage = dataSpec.usage
            guard let verb = arguments.positional.first else { throw UsageError("show, export or erase?", usage: usage) }
            guard let allowed = dataOptions[verb] else {
                let near = Spelling.nearest(to: verb, among: dataOptions.keys.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
                throw UsageError("unknown: data \(verb)\(near)", usage: usage)
            }
            if let odd = arguments.flags.union(arguments.values.keys).subtracting(allowed).min() {
                throw UsageError("data \(verb) takes no --\(odd)", usage: usage)
            }
            let words = Array(arguments.positional.dropFirst())
            guard verb == "erase" || words.isEmpty else { throw UsageError("data \(verb) takes no words", usage: usage) }
            let keeping = DataKeeping(engines: context.engines)
            switch verb {
            case "show":
                let inventory = try await keeping.inventory()
                if arguments.has("json") { return try context.printJSON(inventory) }
                context.console.result(inventory.text)
            case "export":
                guard let file = arguments.value("output") else { throw UsageError("--output FILE.zip is needed", usage: usage) }
                try await export(to: try context.outputFile(file), arguments, keeping, context)
            default: try await erase(words, arguments, keeping, context, usage: usage)
            }
        })

    private static func export(to path: String, _ arguments: Arguments, _ keeping: DataKeeping, _ context: Context) async throws {
        let zone = try context.scheduleZone()
        let words = JobWords(now: context.now(), zone: zone, isServed: context.role == .host)
        let exported = try await keeping.export(to: path, withSecrets: arguments.has("with-secrets"), words: words) { fraction in
            context.console.show(SottoObservability.Progress(phase: "Packing", completed: Int64(fraction * 100), total: 100))
        }
        for line in exported.left { context.console.note(line) }
        context.console.note(
            "Written: \(path) (\(exported.files) files, \(DataInventory.size(exported.bytes))). It is for your eyes only: whoever has it can read it")
    }

    private static func erase(_ words: [String], _ arguments: Arguments, _ keeping: DataKeeping, _ context: Context, usage: String) async throws {
        var parts: Set<DataPart> = []
        for word in words {
            if word == "all" {
                parts.formUnion(DataPart.allCases.filter(\.canErase))
            } else if let part = DataPart(rawValue: word), part.canErase {
                parts.insert(part)
            } else {
                let near = Spelling.nearest(to: word, among: DataPart.allCases.map(\.rawValue)).map { "; did you mean \"\($0)\"?" } ?? ""
                throw UsageError("there is nothing \"\(word)\" to erase\(near)", usage: usage)
            }
        }
        guard parts.isEmpty == false else { throw UsageError("what is to be erased?", usage: usage) }
        let before = try await keeping.inventory()
        if arguments.has("yes") == false {
            context.console.note("This erases for good:")
            for part in before.parts where parts.contains(where: { $0.rawValue == part.id }) { context.console.note("  " + part.line) }
            context.console.note("Type \"erase\" and press Enter to go on:")
            guard try await answer(context) == "erase" else { throw CommandError("nothing was erased; type \"erase\" when asked, or give --yes") }
        }
        try await keeping.settle(context)
        let left = try await keeping.erase(parts)
        let after = try await keeping.inventory()
        for line in left { context.console.note(line) }
        let names = DataPart.allCases.filter(parts.contains).map(\.rawValue).joined(separator: ", ")
        context.console.note("Erased: \(names), \(DataInventory.size(max(0, before.bytes - after.bytes)))")
        if parts.contains(.access), context.role == .host {
            context.console.note("The process that serves keeps its key and who is signed in until it is started anew")
        }
    }

    /// One line of standard input.
    private static func answer(_ context: Context) async throws -> String {
        var bytes: [UInt8] = []
        while bytes.contains(UInt8(ascii: "\n")) == false, bytes.count < 1_000, let more = try await context.input.next() { bytes += more }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased()
    }
}

extension DataKeeping {
    /// Ends the leases of workers that are no more, so that their jobs do not count as running.
    fileprivate func settle(_ context: Context) async throws {
        guard context.role == .owner, FileManager.default.fileExists(atPath: places.database) else { return }
        _ = try await engines.jobs(writing: true)?.endForeignLeases(keeping: "", at: try engines.jobClock()())
    }
}

extension DataInventory {
    var bytes: Int64 { parts.reduce(0) { $0 + $1.bytes } }

    var text: String { (["\(folder), \(Self.size(freeBytes)) free"] + parts.map(\.line)).joined(separator: "\n") }

    static func size(_ bytes: Int64) -> String {
        bytes < 1_000_000
            ? "\((bytes + 999) / 1000) kB"
            : "\((Double(bytes) / 1_000_000).formatted(.number.precision(.fractionLength(0...1)).locale(Locale(identifier: "en_US_POSIX")))) MB"
    }
}

extension DataInventory.Part {
    var line: String {
        let days = days.map { "\tfor \($0.formatted(.number.locale(Locale(identifier: "en_US_POSIX")))) days" } ?? ""
        return "\(id)\t\(items)\t\(DataInventory.size(bytes))\t\(name)\(days)"
    }
}
