import Foundation
import SottoLibrary
import SottoObservability
import SottoOwnership
import SottoPassageIndex
import SottoSpeechEngines
import SottoStreams

/// What every command is given: the console, the places, the settings and the engines.
struct Context: Sendable {
    let console: Console
    let places: Places
    /// As they stand on the disk.
    var settings: Settings { engines.settings }
    let log: Log
    let engines: Engines
    /// Which part this process plays for the data.
    let role: Role
    /// Held by the process that owns the data, for its own command; `nil` for those of guests.
    let lock: OwnerLock?
    /// For commands of guests: the host that runs them.
    let hosting: Hosting?
    /// The folder that relative paths start from, which is not always this process's own.
    let folder: String
    let zone: TimeZone
    let now: @Sendable () -> Date
    let environment: [String: String]
    let input: StandardInput

    init(console: Console, environment: [String: String], role: Role = .visitor, lock: OwnerLock? = nil) throws {
        self.console = console
        self.environment = environment
        self.role = role
        self.lock = lock
        hosting = nil
        folder = FileManager.default.currentDirectoryPath
        input = StandardInput.own
        places = try Places(environment: environment)
        let file = SettingsFile(path: places.settings)
        for warning in file.warnings { console.note("warning: \(warning)") }
        log = console.log(minimum: environment["SOTTO_LOG"] == "debug" ? .debug : .warning)
        engines = Engines(places: places, settings: file, environment: environment, log: log, sharesDatabase: role != .visitor)
        zone = .current
        now = { Date() }
    }

    /// The owner's context, as a guest's command needs it: its console, its folder, its time zone and its input.
    init(_ owner: Context, console: Console, folder: String, zone: TimeZone, input: StandardInput, hosting: Hosting) {
        self.console = console
        places = owner.places
        log = owner.log
        engines = owner.engines
        role = .host
        lock = nil
        self.hosting = hosting
        self.folder = folder
        self.zone = zone
        now = owner.now
        environment = owner.environment
        self.input = input
    }

    /// `Monday, 30 November 2026`, in English whatever the locale, for prompts are in English.
    func today() -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = "EEEE, d MMMM yyyy"
        return formatter.string(from: now())
    }

    /// The language that a text is written in; the settings decide first.
    func language(of text: String) -> String {
        settings.language.isEmpty ? engines.detectLanguage(text) ?? "en" : settings.language
    }

    // MARK: Files

    func absolute(_ path: String) -> String {
        let expanded = path == "~" || path.hasPrefix("~/") ? NSString(string: path).expandingTildeInPath : path
        return URL(fileURLWithPath: expanded, relativeTo: URL(fileURLWithPath: folder, isDirectory: true)).standardizedFileURL.path
    }

    /// - Throws: ``CommandError`` when nothing is there.
    func existing(_ path: String) throws -> String {
        let full = absolute(path)
        guard FileManager.default.fileExists(atPath: full) else { throw CommandError("there is no file or folder at \(full)") }
        guard FileManager.default.isReadableFile(atPath: full) else { throw CommandError("\(full) may not be read by this user") }
        return full
    }

    /// Checks a result's place before any work is done for it.
    func outputFile(_ path: String) throws -> String {
        let full = absolute(path)
        let folder = URL(fileURLWithPath: full).deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandError("\(full) cannot be written: there is no folder \(folder)")
        }
        guard FileManager.default.isWritableFile(atPath: folder) else { throw CommandError("\(folder) may not be written by this user") }
        if unsafe FileManager.default.fileExists(atPath: full, isDirectory: &isFolder), isFolder.boolValue {
            throw CommandError("\(full) is a folder; name a file in it")
        }
        return full
    }

    func standardInput(limit: Int) async throws -> String {
        let bytes = try await standardInputBytes(limit: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw CommandError("standard input is not UTF-8 text") }
        return text
    }

    /// Standard input as text while it comes.
    ///
    /// - Throws: While iterating: ``CommandError`` for what is not UTF-8 or longer than the limit.
    func standardInputText(limit: Int) -> ProducedSequence<String> {
        let input = input
        return ProducedSequence { emit in
            var count = 0
            // A character may be cut between two reads.
            var held: [UInt8] = []
            while let chunk = try await input.next() {
                count += chunk.count
                guard count <= limit else { throw CommandError("standard input is longer than \(limit) bytes") }
                held += chunk
                let whole = held.count - Self.unfinishedBytes(at: held)
                guard let text = String(validating: held[..<whole], as: UTF8.self) else { throw CommandError("standard input is not UTF-8 text") }
                held.removeFirst(whole)
                if text.isEmpty == false { try await emit(text) }
            }
            guard held.isEmpty else { throw CommandError("standard input is not UTF-8 text") }
        }
    }

    /// How many bytes at the end begin a character of UTF-8 that has not ended.
    private static func unfinishedBytes(at bytes: [UInt8]) -> Int {
        for (back, byte) in bytes.reversed().prefix(3).enumerated() where byte & 0xC0 == 0xC0 {
            let length = byte & 0xE0 == 0xC0 ? 2 : byte & 0xF0 == 0xE0 ? 3 : 4
            return back + 1 < length ? back + 1 : 0
        }
        return 0
    }

    func standardInputBytes(limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await input.next() {
            bytes += chunk
            guard bytes.count <= limit else { throw CommandError("standard input is longer than \(limit) bytes") }
        }
        return bytes
    }

    func printJSON(_ value: some Encodable) throws { console.result(try jsonText(value)) }
}

/// The form of every `--json` report.
func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
