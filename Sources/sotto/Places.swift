import Foundation

/// Where things live on this machine, from the environment alone (XDG Base Directory Specification 0.8).
struct Places: Sendable, Equatable {
    var data: String
    var cache: String
    var configuration: String

    /// - Throws: ``CommandError`` when neither the XDG variables nor a home folder are set.
    init(environment: [String: String]) throws {
        func folder(_ variable: String, _ fallback: String) throws -> String {
            // The specification ignores relative paths.
            if let set = environment[variable], set.hasPrefix("/") { return set + "/sotto" }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw CommandError("neither HOME nor \(variable) is set; set one of them to an absolute path")
            }
            return "\(home)/\(fallback)/sotto"
        }
        data = try folder("XDG_DATA_HOME", ".local/share")
        cache = try folder("XDG_CACHE_HOME", ".cache")
        configuration = try folder("XDG_CONFIG_HOME", ".config")
    }

    var database: String { data + "/sotto.sqlite" }
    var takes: String { data + "/takes" }
    /// Voices that were made after people's.
    var voices: String { data + "/voices" }
    /// What this installation signs with.
    var installationKey: String { data + "/installation.key" }
    /// What programs prove themselves to the server with.
    var serverKey: String { data + "/server.key" }
    /// Browsers that the server let in.
    var devices: String { data + "/devices.json" }
    /// The server's certificate for other devices, with its key.
    var certificate: String { data + "/server.pem" }
    /// Documents that were handed over by the app.
    var documents: String { data + "/documents" }
    var models: String { cache + "/models" }
    var pages: String { cache + "/pages" }
    /// Speech that was made, to be given again.
    var speech: String { cache + "/speech" }
    /// How the user wants words to be said.
    var pronunciations: String { configuration + "/pronunciations.txt" }
    /// What is known of recordings whose transcription was interrupted.
    var transcripts: String { cache + "/transcripts" }
    var settings: String { configuration + "/config.json" }
    /// What is written in place of what was heard: `heard = written`, one a line.
    var replacements: String { configuration + "/replacements.txt" }
    var secrets: String { configuration + "/secrets.json" }
    /// Which search providers rest.
    var searchHealth: String { cache + "/search-health.json" }
    /// Result pages that were not understood, for bug reports.
    var unrecognizedPages: String { cache + "/unrecognized" }
}

extension Places {
    /// Bytes that are free where data are kept; `nil` when nobody can tell.
    var freeBytes: Int64? {
        let facts = try? FileManager.default.attributesOfFileSystem(forPath: FileManager.default.fileExists(atPath: data) ? data : "/")
        return (facts?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
