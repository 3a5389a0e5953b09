import Foundation
import SottoFetching
import SottoSearching

/// What a person may set, with defaults; kept in `config.json`.
struct Settings: Sendable, Equatable {
    /// Threads for all engines together; 0 means one a core.
    var threads = 0
    /// Id of the model that answers; empty means the best that is installed.
    var languageModel = ""
    /// Voice for speech; empty means the engine's default.
    var voice = ""
    /// 0.5 to 2.
    var speed = 1.0
    /// BCP 47 tag of answers; empty means that of the question.
    var language = ""
    /// The language that is spoken to the microphone and in recordings: as `de`, `de,en` or `auto`.
    var spokenLanguage = "en"
    /// Seconds without use after which a model leaves memory.
    var modelIdleSeconds = 300.0
    /// Whether research may use the web.
    var research = true
    /// Whether nothing at all may leave the machine, models included.
    var offline = false
    /// Whether the app's server lets devices of the home network in.
    var lan = false
    /// `http://host:port`; empty: none, whatever the environment says.
    var proxy = ""
    /// Days for which the network ledger keeps a request.
    var ledgerDays = 90.0
    /// Days for which pages of the web are kept.
    var pageCacheDays = 30.0
    /// Two letters (ISO 3166-1) of the region whose search results are wanted; empty: any.
    var region = ""
    /// Search providers in the order in which they are asked, with commas; empty: all that are configured.
    var searchProviders = ""
    /// Front page of a SearXNG server; empty: none.
    var searxngAddress = ""
    /// Front page of a kiwix-serve; empty: none.
    var kiwixAddress = ""

    /// The system's name of the microphone; empty: its default.
    var microphone = ""
    /// Days for which takes are kept; 0: not at all.
    var takeDays = 7.0

    /// Whether "um", "uh" and their like are left out of what was heard.
    var removeFillers = false
    /// Whether numbers that were heard are written in digits.
    var digits = false
    /// Whether "new line", "full stop" and their like are obeyed in dictation.
    var spokenCommands = false

    static let keys = [
        "digits",
        "kiwixAddress", "lan", "language", "languageModel", "ledgerDays", "microphone", "modelIdleSeconds", "offline", "pageCacheDays", "proxy",
        "region", "removeFillers", "research",
        "searchProviders", "searxngAddress", "speed", "spokenCommands", "spokenLanguage", "takeDays", "threads", "voice",
    ]

    /// Reads a file's bytes. What is wrong with one key costs that key only.
    ///
    /// - Returns: The settings and one warning for each key that is unknown or of the wrong kind.
    static func parse(_ bytes: Data) -> (settings: Settings, warnings: [String]) {
        var settings = Settings()
        guard let object = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any] else {
            return (settings, ["config.json is not a JSON object; defaults are used"])
        }
        var warnings: [String] = []
        for key in object.keys.sorted() {
            guard keys.contains(key) else {
                let near = Spelling.nearest(to: key, among: keys).map { "; did you mean \"\($0)\"?" } ?? ""
                warnings.append("config.json: unknown setting \"\(key)\"\(near)")
                continue
            }
            let text: String
            switch object[key] {
            case let value as String: text = value
            case let value as NSNumber: text = value.stringValue
            default: text = ""
            }
            do { try settings.set(key, to: text) } catch { warnings.append("config.json: \(error)") }
        }
        return (settings, warnings)
    }

    /// - Throws: ``CommandError`` that says what the key takes.
    mutating func set(_ key: String, to text: String) throws {
        func number(_ range: ClosedRange<Double>, _ unit: String) throws -> Double {
            guard let value = Double(text), range.contains(value) else {
                throw CommandError("\"\(key)\" is \(unit) from \(range.lowerBound.formatted()) to \(range.upperBound.formatted()), not \"\(text)\"")
            }
            return value
        }
        func isOn() throws -> Bool {
            switch text.lowercased() {
            case "on", "true", "yes", "1": return true
            case "off", "false", "no", "0": return false
            default: throw CommandError("\"\(key)\" is on or off, not \"\(text)\"")
            }
        }
        switch key {
        case "threads": threads = Int(try number(0...64, "a number of threads"))
        case "languageModel": languageModel = text
        case "voice": voice = text
        case "speed": speed = try number(0.5...2, "a factor")
        case "language": language = text
        case "spokenLanguage":
            _ = try Hearing.language(text)
            spokenLanguage = text.lowercased()
        case "modelIdleSeconds": modelIdleSeconds = try number(0...86_400, "a number of seconds")
        case "research": research = try isOn()
        case "offline": offline = try isOn()
        case "lan": lan = try isOn()
        case "proxy":
            guard text.isEmpty || text.hasPrefix("http://") || text.hasPrefix("https://") else {
                throw CommandError("\"proxy\" is an address such as http://192.168.1.2:3128, or empty for none, not \"\(text)\"")
            }
            proxy = text
        case "ledgerDays": ledgerDays = try number(1...3_650, "a number of days")
        case "microphone": microphone = text
        case "removeFillers": removeFillers = try isOn()
        case "digits": digits = try isOn()
        case "spokenCommands": spokenCommands = try isOn()
        case "takeDays": takeDays = try number(0...3_650, "a number of days")
        case "pageCacheDays": pageCacheDays = try number(0...365, "a number of days")
        case "region":
            guard text.isEmpty || text.count == 2 && text.utf8.allSatisfy({ (65...90).contains($0 & 0xDF) }) else {
                throw CommandError("\"region\" is two letters, as DE, or empty, not \"\(text)\"")
            }
            region = text.uppercased()
        case "searchProviders": searchProviders = try SearchProviders.order(text).map(\.rawValue).joined(separator: ",")
        case "searxngAddress": searxngAddress = try Self.serverAddress(text, for: key)
        case "kiwixAddress": kiwixAddress = try Self.serverAddress(text, for: key)
        default:
            let near = Spelling.nearest(to: key, among: Self.keys).map { "; did you mean \"\($0)\"?" } ?? ""
            throw CommandError("unknown setting \"\(key)\"\(near)")
        }
    }

    private static func serverAddress(_ text: String, for key: String) throws -> String {
        guard text.isEmpty || PageAddress.absolute(text) != nil else {
            throw CommandError("\"\(key)\" is an address without user and password, as http://127.0.0.1:8080, or empty, not \"\(text)\"")
        }
        return text
    }

    func value(_ key: String) -> String? {
        switch key {
        case "threads": "\(threads)"
        case "languageModel": languageModel
        case "voice": voice
        case "speed": "\(speed)"
        case "language": language
        case "spokenLanguage": spokenLanguage
        case "modelIdleSeconds": "\(modelIdleSeconds)"
        case "research": research ? "on" : "off"
        case "offline": offline ? "on" : "off"
        case "lan": lan ? "on" : "off"
        case "proxy": proxy
        case "ledgerDays": ledgerDays.formatted(.number.grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        case "pageCacheDays": pageCacheDays.formatted(.number.grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        case "microphone": microphone
        case "removeFillers": removeFillers ? "on" : "off"
        case "digits": digits ? "on" : "off"
        case "spokenCommands": spokenCommands ? "on" : "off"
        case "takeDays": takeDays.formatted(.number.grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        case "region": region
        case "searchProviders": searchProviders
        case "searxngAddress": searxngAddress
        case "kiwixAddress": kiwixAddress
        default: nil
        }
    }

    /// The two switches as they stand on the disk now: a process that runs for days obeys them at once.
    ///
    /// A file that is there and cannot be read may hold an "off", so it counts as one.
    static func networkPermission(at path: String) -> NetworkPermission {
        guard FileManager.default.fileExists(atPath: path) else { return NetworkPermission() }
        guard let bytes = FileManager.default.contents(atPath: path), let object = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any]
        else {
            return NetworkPermission(isResearchOn: false)
        }
        let (settings, warnings) = parse(bytes)
        let isDoubtful = ["research", "offline"].contains { key in object[key] != nil && warnings.contains { $0.contains("\"\(key)\"") } }
        return NetworkPermission(isResearchOn: settings.research && isDoubtful == false, isOffline: settings.offline)
    }

    func encoded() throws -> Data {
        let object: [String: Any] = [
            "threads": threads, "languageModel": languageModel, "voice": voice, "speed": speed, "language": language,
            "spokenLanguage": spokenLanguage,
            "modelIdleSeconds": modelIdleSeconds, "research": research, "offline": offline, "lan": lan, "proxy": proxy, "ledgerDays": ledgerDays,
            "pageCacheDays": pageCacheDays, "microphone": microphone, "takeDays": takeDays, "removeFillers": removeFillers,
            "digits": digits, "spokenCommands": spokenCommands,
            "region": region, "searchProviders": searchProviders, "searxngAddress": searxngAddress,
            "kiwixAddress": kiwixAddress,
        ]
        return try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    }
}
