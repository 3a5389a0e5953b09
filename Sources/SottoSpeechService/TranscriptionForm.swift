import SottoServiceExchange
import SottoSpeechEngines

/// The fields of a transcription request, each checked.
struct TranscriptionForm: Sendable, Equatable {
    enum Format: String, CaseIterable, Sendable {
        case json, text, srt, verboseJSON = "verbose_json", vtt
    }

    var model = ""
    var language: String?
    var format = Format.json
    var wantsWords = false
    var wantsSegments = true
    var isStream = false
    /// Names of fields that were understood and have no effect.
    var ignored: [String] = []

    /// - Parameter fields: In the order in which they came; a field may come several times.
    /// - Throws: ``ServiceError`` that names the field.
    init(_ fields: [(name: String, value: String)]) throws(ServiceError) {
        var granularities: [String] = []
        for (name, value) in fields {
            switch name {
            case "model": model = value
            case "language": language = value.isEmpty ? nil : value
            case "response_format":
                guard let format = Format(rawValue: value) else {
                    throw .bad("response_format is one of \(Format.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(value)\"", name)
                }
                self.format = format
            case "timestamp_granularities[]", "timestamp_granularities": granularities.append(value)
            case "temperature":
                guard let temperature = Double(value), (0...1).contains(temperature) else { throw .bad("temperature is a number from 0 to 1, not \"\(value)\"", name) }
                // The likeliest words are always taken.
                if temperature > 0 { ignored.append(name) }
            case "stream":
                switch value.lowercased() {
                case "true", "1": isStream = true
                case "false", "0", "": isStream = false
                default: throw .bad("stream is true or false, not \"\(value)\"", name)
                }
            case "prompt":
                // Earlier text that is fed to the network makes it repeat mistakes; none is.
                if value.isEmpty == false { ignored.append(name) }
            default: ignored.append(name)
            }
        }
        guard model.isEmpty == false else { throw .bad("you must provide a model", "model") }
        if granularities.isEmpty == false {
            guard format == .verboseJSON else { throw .bad("timestamp_granularities needs response_format verbose_json", "timestamp_granularities") }
            if let unknown = granularities.first(where: { $0 != "word" && $0 != "segment" }) {
                throw .bad("timestamp_granularities are word and segment, not \"\(unknown)\"", "timestamp_granularities")
            }
            wantsWords = granularities.contains("word")
            wantsSegments = granularities.contains("segment")
        }
        if isStream, format != .json, format != .text { throw .bad("stream works with the response formats json and text", "stream") }
    }
}
