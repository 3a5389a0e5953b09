/// What Sotto keeps on this machine, in parts that can be looked at and erased for themselves.
enum DataPart: String, CaseIterable, Sendable {
    case agents, library, ledger, takes, voices, speech, pages, transcripts, models, settings, secrets, key, access, other

    /// For people.
    var name: String {
        switch self {
        case .agents: "tasks, their logs and findings, schedules"
        case .library: "the index of your documents, and those that were given to the app; other files are yours alone"
        case .ledger: "the list of what left this machine"
        case .takes: "recordings of dictation, and what was heard"
        case .voices: "voices made after people's, with their recordings"
        case .speech: "speech that was made, kept to be given again"
        case .pages: "pages of the web that were read"
        case .transcripts: "transcriptions that were interrupted"
        case .models: "models"
        case .settings: "settings, replacements and pronunciations"
        case .secrets: "keys of search providers"
        case .key: "the key that signs exported voices"
        case .access: "the server's key, and the browsers that are signed in"
        case .other: "everything else in Sotto's folders"
        }
    }

    /// Nobody knows what the rest is: files of another version, for example.
    var canErase: Bool { self != .other }
}
