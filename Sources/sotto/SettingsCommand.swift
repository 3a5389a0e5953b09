import Foundation
import SottoSearch
import SottoSecretStore

extension Command {
    private static let settingsSpec = ArgumentSpec(
        """
        usage: sotto settings list
               sotto settings get KEY
               sotto settings set KEY VALUE
               sotto settings secret NAME [--remove]    keeps a secret, read from standard input, for you alone

          digits            on: numbers that were heard are written in digits (off)
          kiwixAddress      front page of a kiwix-serve with ZIM archives, as http://127.0.0.1:8080
          lan               on: sotto serve lets other devices of your network in, over TLS (off)
          language          answers' language, as "en" or "de-DE"; empty: that of the question
          languageModel     id of the model that answers; empty: the best installed
          ledgerDays        days for which the network ledger keeps a request (90)
          modelIdleSeconds  seconds after which an unused model leaves memory (300)
          offline           on: nothing at all leaves this machine, models included (off)
          microphone        the system's name of the microphone, of sotto dictate --devices; empty: its default
          pageCacheDays     days for which pages of the web are kept; 0: none (30)
          proxy             http://host:port for the web; empty: none. Behind a proxy the addresses of names cannot be checked
          removeFillers     on: "um", "uh" and their like are left out of what was heard (off)
          research          off: research reads nothing of the web (on)
          region            two letters of the region whose search results are wanted, as DE; empty: any
          searchProviders   order of the search providers, with commas; empty: all that are configured
          searxngAddress    front page of a SearXNG server, as http://127.0.0.1:8888
          speed             pace of speech, 0.5 to 2 (1)
          takeDays          days for which recordings of dictation are kept; 0: not at all (7)
          threads           threads for all engines together; 0: one a core
          voice             name of the voice; empty: the default

        secrets: brave-api-key (Brave Search API)
        """, ["remove": .flag])

    static let settings = Command(
        name: "settings", summary: "show and change settings", spec: settingsSpec,
        run: { arguments, context in
            let words = arguments.positional
            let usage = settingsSpec.usage
            switch words.first ?? "list" {
            case "list" where words.count <= 1:
                context.console.result(Settings.keys.map { "\($0)\t\(context.settings.value($0) ?? "")" }.joined(separator: "\n"))
            case "get" where words.count == 2:
                guard let value = context.settings.value(words[1]) else { throw UsageError("unknown setting \"\(words[1])\"", usage: usage) }
                context.console.result(value)
            case "set" where words.count == 3:
                var changed = context.settings
                try changed.set(words[1], to: words[2])
                try context.engines.settingsFile.write(changed)
                context.console.note("\(words[1]) is now \(changed.value(words[1]) ?? "")")
            case "secret" where words.count == 2: try await keepSecret(words[1], remove: arguments.has("remove"), context)
            default: throw UsageError("list, get KEY, set KEY VALUE or secret NAME", usage: usage)
            }
        })

    /// Never on the command line, where other users and the shell's history would see it.
    private static func keepSecret(_ name: String, remove: Bool, _ context: Context) async throws {
        let file = SecretFile(path: context.places.secrets)
        let known = [Brave.secret]
        guard known.contains(name) else {
            let near = Spelling.nearest(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? "; known: " + known.joined(separator: ", ")
            throw CommandError("unknown secret \"\(name)\"\(near)")
        }
        if remove {
            try file.set(name, to: nil)
            context.console.note("\(name) is forgotten")
            return
        }
        context.console.note("Type or paste the secret, then Enter and Ctrl-D:")
        let value = try await context.standardInput(limit: 8_192).trimmingCharacters(in: .whitespacesAndNewlines)
        try file.set(name, to: value)
        context.console.note("\(name) is kept in \(file.path), which only you may read")
    }
}
