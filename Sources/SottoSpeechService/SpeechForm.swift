import SottoServiceExchange

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
        let fields = try JSONFields(bytes)
        guard let model: String = try fields.value("model", "a text"), model.isEmpty == false else { throw .bad("you must provide a model", "model") }
        guard let input: String = try fields.value("input", "a text"), input.contains(where: { $0.isWhitespace == false }) else { throw .bad("input is empty; there is nothing to say", "input") }
        guard input.count <= longest else { throw .bad("input has \(input.count) characters, and \(longest) are the most", "input", code: "string_above_max_length") }
        // A voice is a name, or an object with one as its id.
        let voice: String?
        if let named = fields.ifIs(Named.self, "voice") { voice = named.id } else { voice = try fields.value("voice", "a text") }
        guard let voice, voice.isEmpty == false else { throw .bad("you must provide a voice", "voice") }
        let name = try fields.value("response_format", "a text") ?? SpeechFormat.mp3.rawValue
        guard let format = SpeechFormat(rawValue: name) else {
            throw .bad("response_format is one of \(SpeechFormat.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(name)\"", "response_format")
        }
        let speed = try fields.value("speed", "a number from 0.25 to 4") ?? 1.0
        guard (0.25...4).contains(speed) else { throw .bad("speed is a number from 0.25 to 4, not \(speed)", "speed") }
        switch try fields.value("stream_format", "a text") ?? "audio" {
        case "audio": isEventStream = false
        case "sse": isEventStream = true
        case let other: throw .bad("stream_format is audio or sse, not \"\(other)\"", "stream_format")
        }
        self.model = model
        self.input = input
        self.voice = voice
        self.format = format
        self.speed = speed
        ignored = fields.names(except: ["model", "input", "voice", "response_format", "speed", "stream_format"])
    }

    /// A voice as an object.
    private struct Named: Decodable { var id: String }
}
