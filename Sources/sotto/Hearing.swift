import SottoModelStore
import SottoSherpaHost
import SottoSpeechEngines
import SottoText
import SottoWhisperRecognizer

/// What a command wants to hear, and by which engine.
struct Hearing: Sendable, Equatable {
    static let options: [String: ArgumentSpec.Kind] = [
        "language": .value("a language, as de, several, as de,en, or auto"), "engine": .value("moonshine, whisper or sherpa:NAME"),
        "translate": .flag,
    ]
    /// For the usage of commands.
    static let usage = """
          --language L   the language that is spoken, as de; auto finds it out, de,en finds out which of these; default: the setting "spokenLanguage"
          --engine E     moonshine (English), whisper (99 languages), or sherpa:NAME of "sotto models list"; by default the language decides
          --translate    write in English what is said in another language
        """

    var language = SpokenLanguage.fixed("en")
    var engine: String?
    var translates = false

    /// - Throws: ``CommandError`` for a language that is none.
    init(_ arguments: Arguments, _ settings: Settings) throws {
        language = try Self.language(arguments.value("language") ?? settings.spokenLanguage)
        // Names of installed models keep their case.
        engine = arguments.value("engine").map { $0.hasPrefix(SherpaModelStore.prefix) ? $0 : $0.lowercased() }
        translates = arguments.has("translate")
    }

    /// As the settings have it.
    init(_ settings: Settings) throws {
        language = try Self.language(settings.spokenLanguage)
    }

    init(_ language: SpokenLanguage) { self.language = language }

    /// Reads `de`, `de-AT`, `auto` or `de,en`.
    static func language(_ text: String) throws -> SpokenLanguage {
        let tags = text.split(separator: ",").compactMap { LanguageTag.primary(of: $0.trimmingPrefix { $0 == " " }.description) }
        guard tags.isEmpty == false, tags.allSatisfy({ $0.utf8.allSatisfy { (97...122).contains($0) } && $0.utf8.count <= 8 }) else {
            throw CommandError("\"\(text)\" is no language; a language is given as de, several as de,en, and auto finds it out")
        }
        if tags == ["auto"] { return .detected(among: []) }
        guard tags.contains("auto") == false else { throw CommandError("\"auto\" stands alone: it means any language") }
        return tags.count == 1 ? .fixed(tags[0]) : .detected(among: tags)
    }

    func options(partials: Bool) -> RecognitionOptions {
        RecognitionOptions(partials: partials, language: language, translatesToEnglish: translates)
    }

    /// Distinguishes what was heard one way from what was heard another, for journals.
    func identity(_ model: String) -> String {
        let spoken =
            switch language {
            case .fixed(let tag): tag
            case .detected(let among): "auto(\(among.joined(separator: ",")))"
            }
        return "\(model) \(spoken)\(translates ? " to en" : "")"
    }
}

/// The recognizer that was chosen, and how it is to hear.
struct ChosenRecognizer: Sendable {
    let recognizer: any SpeechRecognizer
    /// Id of its model.
    let model: String
    let hearing: Hearing
    /// Held as long as it is used, so that it stays in memory.
    var use: EngineUse?

    var sampleRate: Int { recognizer.sampleRate }

    func makeSession(partials: Bool = false) async throws -> any RecognitionSession {
        try await recognizer.makeSession(hearing.options(partials: partials))
    }

    func transcribe(_ audio: AudioStream) -> TranscriptUpdates { recognizer.transcribe(audio, options: hearing.options(partials: false)) }
}
