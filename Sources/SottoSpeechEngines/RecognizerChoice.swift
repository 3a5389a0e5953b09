/// A recognizer that could be used, as the choice between several sees it.
public struct RecognizerOffer: Sendable, Equatable {
    /// What people call it, as `moonshine`.
    public var name: String
    /// Id of its model.
    public var model: String
    /// The languages that it knows, as primary BCP 47 tags.
    public var languages: Set<String>
    /// Whether it can find out which language is spoken.
    public var detectsLanguage: Bool
    /// Whether it can translate to English.
    public var translates: Bool
    public var isInstalled: Bool

    public init(name: String, model: String, languages: Set<String>, detectsLanguage: Bool, translates: Bool, isInstalled: Bool) {
        self.name = name
        self.model = model
        self.languages = languages
        self.detectsLanguage = detectsLanguage
        self.translates = translates
        self.isInstalled = isInstalled
    }

    func can(_ language: SpokenLanguage, translating: Bool) -> Bool {
        if translating, translates == false { return false }
        switch language {
        case .fixed(let tag): return languages.contains(tag)
        case .detected(let among): return detectsLanguage && languages.isSuperset(of: among)
        }
    }
}

/// Chooses the recognizer by what is spoken and what is installed.
///
/// The first that can do what is asked is the one, installed or not: when it is missing the user is told how to get it, and nothing else takes its place
/// unseen.
public enum RecognizerChoice {
    /// - Parameters:
    ///   - translating: Whether the text shall be English whatever is spoken.
    ///   - engine: The name of the one that the user wants; `nil` leaves it to us.
    ///   - offers: In order of preference.
    /// - Throws: ``RecognitionError`` `.unsupportedLanguage` when none can, or the one that is wanted cannot; `.modelNotLoaded` when it is not
    ///   installed, with the command that gets it.
    public static func choose(
        _ language: SpokenLanguage, translating: Bool = false, engine: String? = nil, among offers: [RecognizerOffer]
    ) throws(RecognitionError) -> RecognizerOffer {
        let names = offers.map(\.name).joined(separator: ", ")
        var candidates = offers
        if let engine {
            candidates = offers.filter { $0.name == engine || $0.model == engine }
            guard candidates.isEmpty == false else {
                throw RecognitionError(.unsupportedLanguage, "no recognizer is called \"\(engine)\"; there are \(names)")
            }
        }
        guard let chosen = candidates.first(where: { $0.can(language, translating: translating) }) else {
            throw RecognitionError(.unsupportedLanguage, refusal(language, translating, engine, offers))
        }
        guard chosen.isInstalled else {
            var message = "\(wish(language, translating)) is heard by \(chosen.model), which is not installed; run: sotto models pull \(chosen.model)"
            if engine == nil, let other = offers.first(where: { $0.isInstalled && $0.can(language, translating: translating) }) {
                message += ", or use what is there: --engine \(other.name)"
            }
            throw RecognitionError(.modelNotLoaded, message)
        }
        return chosen
    }

    private static func wish(_ language: SpokenLanguage, _ translating: Bool) -> String {
        let text =
            switch language {
            case .fixed(let tag): "the language \"\(tag)\""
            case .detected(let among): among.isEmpty ? "a language that is to be found out" : "a language out of \(among.joined(separator: ", "))"
            }
        return translating ? "a translation of \(text)" : text
    }

    private static func refusal(_ language: SpokenLanguage, _ translating: Bool, _ engine: String?, _ offers: [RecognizerOffer]) -> String {
        let wish = wish(language, translating)
        if let engine, let other = offers.first(where: { $0.can(language, translating: translating) }) {
            return "\(engine) cannot hear \(wish); \(other.name) can (--engine \(other.name), or leave --engine out)"
        }
        let unknown: [String] =
            switch language {
            case .fixed(let tag): [tag]
            case .detected(let among): among
            }
        let known = offers.reduce(into: Set<String>()) { $0.formUnion($1.languages) }
        if let tag = unknown.first(where: { known.contains($0) == false }) {
            return "no recognizer knows the language \"\(tag)\"; known are \(known.sorted().joined(separator: ", "))"
        }
        return "no recognizer can hear \(wish)"
    }
}
