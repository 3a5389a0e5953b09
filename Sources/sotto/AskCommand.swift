import Foundation
import SottoLanguageModels
import SottoPassageIndex
import SottoResearch
import SottoSpeechEngines
import SottoText

extension Command {
    private static let askSpec = ArgumentSpec(
        """
        usage: sotto ask "QUESTION" [--library DIR]… [--mode quick|balanced|deep] [--language TAG] [--json] [--speak FILE.wav]
               sotto ask --listen FILE [same options]

          --library DIR    read DIR first (only what changed) and search nothing else, the web neither; may be repeated
          --mode MODE      how much work the answer is worth (default balanced)
          --language TAG   language of sources and answer, such as "en" or "de" (default: that of the question)
          --listen FILE    take the question from a recording in any common format
          --speak FILE     write the spoken summary as WAV
          --json           print the whole result as JSON (schemaVersion 1, see docs/json.md)
          --no-web         search the library only; without it the web is searched too, while the settings allow it
        """,
        [
            "library": .repeated("a folder"), "mode": .value("quick, balanced or deep"), "language": .value("a language tag"),
            "listen": .value("an audio file"), "speak": .value("a file to write"), "json": .flag, "no-web": .flag,
        ])

    static let ask = Command(
        name: "ask", summary: "answer a question from the web and your library, with checked citations", spec: askSpec,
        place: { Self.wantsWeb($0) ? .researcher : .host },
        run: { arguments, context in
            let usage = askSpec.usage
            let mode = try arguments.choice("mode", default: ResearchTask.Mode.balanced, usage: usage)
            let output = try arguments.value("speak").map { try context.outputFile($0) }
            let question = try await Self.question(arguments, context)
            let engines = context.engines

            var roots: [String] = []
            for folder in arguments.values["library"] ?? [] {
                let path = try context.existing(folder)
                try await context.owning { try await LibraryUpdate.run(path, context: context, announce: false) }
                roots.append(path)
            }
            let places = try await ResearchPlaces(engines, web: Self.wantsWeb(arguments), job: nil)

            let model = try await engines.languageModel { context.console.note($0) }
            if model == nil { context.console.note("No language model is installed; you get a digest. Install one with: sotto models pull") }
            let language = arguments.value("language") ?? context.language(of: question)
            let task = ResearchTask(question: question, mode: mode, language: language, libraryRoots: roots, today: context.today())
            let runner = ResearchRunner(sources: places.sources, web: places.web, model: model, log: context.log)
            let result = try await runner.run(task) { context.console.show($0) }

            if arguments.has("json") {
                try context.printJSON(result)
            } else {
                context.console.result(result.findings)
            }
            let counts = result.counts
            context.console.note(
                "\(counts.checked) claims checked, \(counts.supported) supported, \(counts.notFound) not found; "
                    + "\(result.sources.count) sources read in \(result.timings.total.formatted(.number.precision(.fractionLength(1)))) s")
            if let web = result.web { context.console.note(web.line) }
            if let output {
                let report = try await context.speak(result.summary, to: output, voice: nil, speed: nil)
                context.console.note("Spoken summary: \(arguments.value("speak") ?? output) (\(report))")
            }
        })

    /// `--library` names all that is to be read.
    private static func wantsWeb(_ arguments: Arguments) -> Bool { arguments.has("no-web") == false && arguments.values["library"] == nil }

    /// The question as typed, or as heard.
    private static func question(_ arguments: Arguments, _ context: Context) async throws -> String {
        let usage = askSpec.usage
        let typed = arguments.positional.joined(separator: " ").trimmingCharacters(in: .whitespacesAndNewlines)
        guard let recording = arguments.value("listen") else {
            guard typed.isEmpty == false else { throw UsageError("a question is needed, in quotes or by --listen FILE", usage: usage) }
            guard typed.count <= 2000 else { throw CommandError("the question has \(typed.count) characters; ask in 2000 or fewer") }
            return typed
        }
        guard typed.isEmpty else { throw UsageError("give the question as text or by --listen, not both", usage: usage) }
        let heard = try await context.hear(recording).map(\.text).joined(separator: " ")
        guard heard.isEmpty == false else {
            throw CommandError("no speech in \(recording); nothing was asked (check the recording with: sotto transcribe \(recording))")
        }
        context.console.note("Heard: \(heard)")
        return heard
    }
}
