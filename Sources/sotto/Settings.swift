import Foundation

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
    /// Seconds without use after which a model leaves memory.
    var modelIdleSeconds = 300.0

    static let keys = ["language", "languageModel", "modelIdleSeconds", "speed", "threads", "voice"]

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
        switch key {
        case "threads": threads = Int(try number(0...64, "a number of threads"))
        case "languageModel": languageModel = text
        case "voice": voice = text
        case "speed": speed = try number(0.5...2, "a factor")
        case "language": language = text
        case "modelIdleSeconds": modelIdleSeconds = try number(0...86_400, "a number of seconds")
        default:
            let near = Spelling.nearest(to: key, among: Self.keys).map { "; did you mean \"\($0)\"?" } ?? ""
            throw CommandError("unknown setting \"\(key)\"\(near)")
        }
    }

    func value(_ key: String) -> String? {
        switch key {
        case "threads": "\(threads)"
        case "languageModel": languageModel
        case "voice": voice
        case "speed": "\(speed)"
        case "language": language
        case "modelIdleSeconds": "\(modelIdleSeconds)"
        default: nil
        }
    }

    func encoded() throws -> Data {
        let object: [String: Any] = [
            "threads": threads, "languageModel": languageModel, "voice": voice, "speed": speed, "language": language,
            "modelIdleSeconds": modelIdleSeconds,
        ]
        return try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    }
}
