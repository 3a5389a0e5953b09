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
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(bytes))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .bad("the body is no JSON object")
        }
        guard let model = fields.model, model.isEmpty == false else { throw .bad("you must provide a model", "model") }
        guard let input = fields.input, input.contains(where: { $0.isWhitespace == false }) else { throw .bad("input is empty; there is nothing to say", "input") }
        guard input.count <= longest else { throw .bad("input has \(input.count) characters, and \(longest) are the most", "input", code: "string_above_max_length") }
        guard let voice = fields.voice, voice.isEmpty == false else { throw .bad("you must provide a voice", "voice") }
        let name = fields.format ?? SpeechFormat.mp3.rawValue
        guard let format = SpeechFormat(rawValue: name) else {
            throw .bad("response_format is one of \(SpeechFormat.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(name)\"", "response_format")
        }
        let speed = fields.speed ?? 1
        guard (0.25...4).contains(speed) else { throw .bad("speed is a number from 0.25 to 4, not \(speed)", "speed") }
        switch fields.streamFormat ?? "audio" {
        case "audio": isEventStream = false
        case "sse": isEventStream = true
        case let other: throw .bad("stream_format is audio or sse, not \"\(other)\"", "stream_format")
        }
        self.model = model
        self.input = input
        self.voice = voice
        self.format = format
        self.speed = speed
        ignored = fields.unknown
    }

    /// As they stand in the JSON; what is null counts as absent.
    private struct Fields: Decodable {
        var model: String?
        var input: String?
        var voice: String?
        var format: String?
        var speed: Double?
        var streamFormat: String?
        var unknown: [String]

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        private struct Named: Decodable { var id: String }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            func value<Value: Decodable>(_ name: String, _ kind: String, _ type: Value.Type) throws -> Value? {
                do {
                    return try container.decodeIfPresent(type, forKey: Key(stringValue: name))
                } catch {
                    throw ServiceError.bad("\(name) is \(kind)", name)
                }
            }
            model = try value("model", "a text", String.self)
            input = try value("input", "a text", String.self)
            // A voice is a name, or an object with one as its id.
            if let named = try? container.decodeIfPresent(Named.self, forKey: Key(stringValue: "voice")) {
                voice = named.id
            } else {
                voice = try value("voice", "a text", String.self)
            }
            format = try value("response_format", "a text", String.self)
            speed = try value("speed", "a number from 0.25 to 4", Double.self)
            streamFormat = try value("stream_format", "a text", String.self)
            let known: Set<String> = ["model", "input", "voice", "response_format", "speed", "stream_format"]
            unknown = container.allKeys.map(\.stringValue).filter { known.contains($0) == false }.sorted()
        }
    }
}
