import SottoSearch

/// How a setting is shown and changed in the app.
struct SettingForm: Sendable {
    enum Kind: String, Sendable, Encodable { case `switch`, number, text, choice }

    var key: String
    var kind: Kind
    var choices: [String]?
    var range: ClosedRange<Double>?
    var unit: String?
    var note: String

    /// Secrets that can be kept.
    static let secrets = [Brave.secret]

    /// In the order in which they are shown; every key of ``Settings`` once.
    static let all: [SettingForm] = [
        .init(key: "research", kind: .switch, note: "Research may read the web"),
        .init(key: "offline", kind: .switch, note: "Nothing at all leaves this machine, models included"),
        .init(key: "lan", kind: .switch, note: "Other devices of your network may be let in, after a restart"),
        .init(key: "searchProviders", kind: .text, note: "Search providers in order, with commas; empty: all that are configured"),
        .init(key: "searxngAddress", kind: .text, note: "Front page of a SearXNG server, as http://127.0.0.1:8888"),
        .init(key: "kiwixAddress", kind: .text, note: "Front page of a kiwix-serve with archives, as http://127.0.0.1:8080"),
        .init(key: "region", kind: .text, note: "Two letters of the region whose results are wanted, as DE; empty: any"),
        .init(key: "proxy", kind: .text, note: "Proxy for the web, as http://host:port; empty: none"),
        .init(key: "language", kind: .text, note: "Language of answers, as en or de-DE; empty: that of the question"),
        .init(key: "languageModel", kind: .choice, note: "Model that answers; empty: the best that is installed"),
        .init(key: "spokenLanguage", kind: .text, note: "Language that is spoken, as en; several, as de,en; auto finds it out"),
        .init(key: "microphone", kind: .text, note: "The system's name of the microphone for the command line; empty: its default"),
        .init(key: "spokenCommands", kind: .switch, note: "“New line”, “full stop” and their like are obeyed in dictation"),
        .init(key: "removeFillers", kind: .switch, note: "“Um”, “uh” and their like are left out"),
        .init(key: "digits", kind: .switch, note: "Numbers that were heard are written in digits"),
        .init(key: "voice", kind: .choice, note: "Voice of speech; empty: the default"),
        .init(key: "speed", kind: .number, range: 0.5...2, unit: "×", note: "Pace of speech"),
        .init(key: "modelIdleSeconds", kind: .number, range: 0...86_400, unit: "s", note: "How long an unused model stays in memory"),
        .init(key: "threads", kind: .number, range: 0...64, note: "Threads for all engines together, after a restart; 0: one a core"),
        .init(key: "takeDays", kind: .number, range: 0...3_650, unit: "days", note: "How long recordings of dictation are kept; 0: not at all"),
        .init(key: "pageCacheDays", kind: .number, range: 0...365, unit: "days", note: "How long pages of the web are kept; 0: not at all"),
        .init(key: "ledgerDays", kind: .number, range: 1...3_650, unit: "days", note: "How long the network ledger keeps a request"),
    ]
}
