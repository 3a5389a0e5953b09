import Foundation
import SottoMediaFiles
import SottoObservability
import SottoSpeechEngines
import SottoText
import SottoVoices

extension Command {
    private static let voicesSpec = ArgumentSpec(
        """
        usage: sotto voices list [--json]
               sotto voices check FILE [--text "WORDS"] [--json]
               sotto voices consent NAME [--json]
               sotto voices add NAME --sample FILE [--text "WORDS"] --consent FILE [--no-fit]
               sotto voices add NAME --record [--device ID] [--no-fit]
               sotto voices fit NAME [--tries N] [--background]
               sotto voices export NAME --output FILE
               sotto voices import FILE [--name NEW]
               sotto voices remove NAME

          list           the voices, the languages that each was made for, and how near the cloned ones are
          check          whether a recording would do as a sample of a voice: length, level, noise, clipping
          consent        prints the sentence that the person says before a voice may be made after theirs
          add            makes a voice after a person's: from ten seconds of it, and the consent sentence in the same voice
          fit            makes it nearer, until N sentences have been tried (default 204); goes on where it stopped
          export         the voice in one file, signed by this installation
          import         a voice that another installation exported; shows who signed it
          remove         deletes the voice, its recordings, and everything that was said with it
          --text "…"     the words that were read; our recognizer should hear them
          --record       shows what to read and records it
          --no-fit       adds it without making it speak yet
          --background   as a job of the queue, which "sotto agents run" works on

        Cloning needs the speaker encoder: sotto models pull ge2e
        """,
        [
            "text": .value("the words that were read"), "json": .flag, "sample": .value("a recording"), "consent": .value("a recording"),
            "record": .flag,
            "device": .value("a device's id"), "no-fit": .flag, "tries": .value("a number"), "background": .flag, "output": .value("a file to write"),
            "name": .value("a voice's name"),
        ])

    /// Which options each word takes.
    private static let voicesOptions: [String: Set<String>] = [
        "list": ["json"], "check": ["text", "json"], "consent": ["json"], "add": ["sample", "text", "consent", "record", "device", "no-fit"],
        "fit": ["tries", "background"], "export": ["output"], "import": ["name"], "remove": [],
    ]

    static let voices = Command(
        name: "voices", summary: "voices, your own among them", spec: voicesSpec,
        place: { arguments in arguments.has("background") ? .owner : .here },
        run: { arguments, context in
            let usage = voicesSpec.usage
            guard let verb = arguments.positional.first else {
                throw UsageError("list, check, consent, add, fit, export, import or remove?", usage: usage)
            }
            guard let allowed = voicesOptions[verb] else {
                let near = Spelling.nearest(to: verb, among: voicesOptions.keys.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
                throw UsageError("unknown: voices \(verb)\(near)", usage: usage)
            }
            if let odd = arguments.flags.union(arguments.values.keys).subtracting(allowed).min() {
                throw UsageError("voices \(verb) takes no --\(odd)", usage: usage)
            }
            let words = Array(arguments.positional.dropFirst())
            if verb == "list" {
                guard words.isEmpty else { throw UsageError("list takes no words", usage: usage) }
                return try await list(arguments, context)
            }
            guard let word = words.first, words.count == 1 else {
                throw UsageError("voices \(verb) needs one \(verb == "check" || verb == "import" ? "file" : "name")", usage: usage)
            }
            if verb == "check" { return try await check(word, arguments, context) }
            let cloning = CloningCommand(arguments: arguments, context: context, usage: usage)
            switch verb {
            case "consent": try cloning.consent(word)
            case "add": try await cloning.add(word)
            case "fit": try await cloning.fit(word)
            case "export": try cloning.export(word)
            case "import": try cloning.import(word)
            default: try cloning.remove(word)
            }
        })

    private static func list(_ arguments: Arguments, _ context: Context) async throws {
        let enrolled = context.engines.voiceFolder.voices { context.console.note("warning: a voice cannot be read: \($0)") }
        var voices = try await context.engines.synthesizer().voices
        // Those that cannot be spoken with yet are no voices of the synthesizer.
        for voice in enrolled where voices.contains(where: { $0.name == voice.name }) == false { voices.insert(voice.synthesisVoice, at: 0) }
        guard arguments.has("json") == false else {
            return try context.printJSON(VoiceList(voices: voices, cloned: enrolled.map(ClonedVoiceReport.init)))
        }
        context.console.result(voices.map { "\($0.name)\t\($0.languages.joined(separator: ","))\t\($0.note)" }.joined(separator: "\n"))
    }

    private static func check(_ file: String, _ arguments: Arguments, _ context: Context) async throws {
        let path = try context.existing(file)
        context.console.show(Progress(phase: "Listening", item: file))
        let audio = try await MediaDecoder(sampleRate: 16_000, limits: .init(seconds: 600)).read(path)
        var report = SampleReport(quality: SampleQuality(audio))
        if let words = arguments.value("text") {
            report.heard = try await context.hear(file).map(\.text).joined(separator: " ")
            report.wordErrorRate =
                WordErrorRate(
                    reference: TranscriptNormalizer.words(words), hypothesis: TranscriptNormalizer.words(report.heard ?? "")
                ).rate
        }
        if arguments.has("json") {
            try context.printJSON(report)
        } else {
            context.console.result(report.lines.joined(separator: "\n"))
        }
        guard report.isGood else { throw CommandError("\(file) would not do as a sample; record it again") }
    }
}

private struct VoiceList: Encodable {
    var schemaVersion = 1
    var voices: [SynthesisVoice]
    /// Those of ``voices`` that were made after people's.
    var cloned: [ClonedVoiceReport]
}

/// A cloned voice without what only the synthesizer needs.
struct ClonedVoiceReport: Encodable {
    var name: String
    var language: String
    var created: String
    var state: EnrolledVoice.State
    /// Of the sample and the voice, and of two halves of the sample.
    var likeness: Double?
    var ceiling: Double?
    var wordErrorRate: Double?
    var semitones: Double?
    var tries: Int?
    var importedFrom: String?

    init(_ voice: EnrolledVoice) {
        name = voice.name
        language = voice.language
        created = voice.created.reportText
        state = voice.state
        likeness = voice.style?.likeness
        ceiling = voice.ceiling
        wordErrorRate = voice.style?.wordErrorRate
        semitones = voice.style?.semitones
        tries = voice.style?.tries
        importedFrom = voice.importedFrom
    }
}

struct SampleReport: Encodable {
    /// More words wrong than this, and another text was read, or it is not understood.
    static let mostWrong = 0.25

    var schemaVersion = 1
    var quality: SampleQuality
    var heard: String?
    var wordErrorRate: Double?

    var isGood: Bool { quality.faults.isEmpty && (wordErrorRate ?? 0) <= Self.mostWrong }

    var lines: [String] {
        func number(_ value: Double, _ digits: Int = 1) -> String {
            value.formatted(.number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_US")))
        }
        var lines = [
            "speech    \(number(quality.speechSeconds)) of \(number(quality.seconds)) s", "level     \(number(quality.level)) dB",
            "noise     \(number(quality.distance)) dB below speech", "clipping  \(number(quality.clipped * 100, 2)) % of samples",
        ]
        if let heard, let rate = wordErrorRate {
            lines.append("heard     \(heard)")
            lines.append("words     \(number(min(rate, 1) * 100, 0)) % wrong")
        }
        return lines + sentences.map { "! " + $0 }
    }

    /// What is wrong, and what to do about it.
    var sentences: [String] {
        let words = (wordErrorRate ?? 0) > Self.mostWrong ? ["the words are not those that were to be read; read them once more, clearly"] : []
        return words + quality.faults.map(\.message)
    }

    private enum CodingKeys: String, CodingKey { case schemaVersion, quality, faults, heard, wordErrorRate, isGood }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(quality, forKey: .quality)
        try container.encode(quality.faults, forKey: .faults)
        try container.encodeIfPresent(heard, forKey: .heard)
        try container.encodeIfPresent(wordErrorRate.flatMap { $0.isFinite ? $0 : nil }, forKey: .wordErrorRate)
        try container.encode(isGood, forKey: .isGood)
    }
}
