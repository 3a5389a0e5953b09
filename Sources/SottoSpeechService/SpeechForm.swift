import Foundation

/// The fields of a speech request, each checked.
struct SpeechForm: Sendable, Equatable {
    var model: String
    var input: String
    var voice: String
    var format: SpeechFormat
    /// As asked, 0.25 to 4.
    var speed: Double
    var isEventStream: Bool
    var ignored: [String]

    /// Reads JSON.
    ///
    /// - Parameter longest: Characters of the text.
    /// - Throws: ``ServiceError`` that names the field.
    init(_ bytes: [UInt8], longest: Int) throws(ServiceError) {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else { throw .bad("the body is no JSON object") }
        func string(_ name: String) throws(ServiceError) -> String? {
            switch object[name] {
            case nil, is NSNull: return nil
            case let value as String: return value
            default: throw .bad("\(name) is a text", name)
            }
        }
        guard let model = try string("model"), model.isEmpty == false else { throw .bad("you must provide a model", "model") }
        guard let input = try string("input"), input.contains(where: { $0.isWhitespace == false }) else { throw .bad("input is empty; there is nothing to say", "input") }
        guard input.count <= longest else { throw .bad("input has \(input.count) characters, and \(longest) are the most", "input", code: "string_above_max_length") }
        // A voice is a name, or an object with one as its id.
        let named = (object["voice"] as? [String: Any])?["id"] as? String
        let plain: String? = named == nil ? try string("voice") : nil
        guard let voice = named ?? plain, voice.isEmpty == false else { throw .bad("you must provide a voice", "voice") }
        let name = try string("response_format") ?? SpeechFormat.mp3.rawValue
        guard let format = SpeechFormat(rawValue: name) else {
            throw .bad("response_format is one of \(SpeechFormat.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(name)\"", "response_format")
        }
        var speed = 1.0
        if let value = object["speed"], value is NSNull == false {
            guard let number = value as? NSNumber, (value is Bool) == false || "\(value)" != "true" && "\(value)" != "false", number.doubleValue.isFinite,
                (0.25...4).contains(number.doubleValue)
            else { throw .bad("speed is a number from 0.25 to 4", "speed") }
            speed = number.doubleValue
        }
        switch try string("stream_format") ?? "audio" {
        case "audio": isEventStream = false
        case "sse": isEventStream = true
        case let other: throw .bad("stream_format is audio or sse, not \"\(other)\"", "stream_format")
        }
        self.model = model
        self.input = input
        self.voice = voice
        self.format = format
        self.speed = speed
        let known: Set<String> = ["model", "input", "voice", "response_format", "speed", "stream_format"]
        ignored = object.keys.filter { known.contains($0) == false }.sorted()
    }
}
