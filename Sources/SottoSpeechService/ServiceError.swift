import SottoSpeechEngines

/// A refusal as clients of the OpenAI interface expect it.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Of HTTP.
    public var status: Int
    /// `invalid_request_error` or `server_error`.
    public var type: String
    public var message: String
    /// The parameter that is wrong.
    public var parameter: String?
    public var code: String?

    public init(status: Int, type: String = "invalid_request_error", _ message: String, parameter: String? = nil, code: String? = nil) {
        self.status = status
        self.type = type
        self.message = message
        self.parameter = parameter
        self.code = code
    }

    public var description: String { message }

    static func bad(_ message: String, _ parameter: String? = nil, code: String? = nil) -> ServiceError {
        ServiceError(status: 400, message, parameter: parameter, code: code)
    }

    /// What a client is told of any error.
    ///
    /// - Returns: `nil` for a cancel, which nobody is told of.
    static func of(_ error: any Error) -> ServiceError? {
        switch error {
        case let error as ServiceError: return error
        case is CancellationError: return nil
        case let error as AudioInputError: return .bad(error.message, "file", code: "invalid_audio")
        case let error as RecognitionError:
            switch error.code {
            case .modelNotLoaded: return ServiceError(status: 503, type: "server_error", error.message, parameter: "model", code: "model_not_installed")
            case .unsupportedLanguage: return .bad(error.message, "language", code: "unsupported_language")
            case .unsupportedSampleRate, .engineFailed: return ServiceError(status: 500, type: "server_error", error.message)
            }
        case let error as SynthesisError:
            switch error.code {
            case .modelNotLoaded: return ServiceError(status: 503, type: "server_error", error.message, parameter: "model", code: "model_not_installed")
            case .unknownVoice: return .bad(error.message, "voice", code: "unknown_voice")
            case .nothingToSay: return .bad(error.message, "input")
            case .phonemesFailed, .engineFailed: return ServiceError(status: 500, type: "server_error", error.message)
            }
        default: return ServiceError(status: 500, type: "server_error", "\(error)")
        }
    }

    var response: ServiceResponse {
        let body = (try? ServiceJSON.bytes(Report(error: .init(self)))) ?? []
        return ServiceResponse(status: status, headers: [("Content-Type", "application/json")], body: .whole(body))
    }

    /// The error's own object.
    struct Report: Encodable {
        struct Fields: Encodable {
            let error: ServiceError

            init(_ error: ServiceError) { self.error = error }

            enum CodingKeys: String, CodingKey { case message, type, param, code }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(error.message, forKey: .message)
                try container.encode(error.type, forKey: .type)
                // Both are there always, null where there is nothing to say.
                try container.encode(error.parameter, forKey: .param)
                try container.encode(error.code, forKey: .code)
            }
        }

        var error: Fields
    }
}

/// Whoever decodes the audio of a request throws this when the audio is at fault.
public struct AudioInputError: Error, Sendable {
    /// One line that says what to do.
    public var message: String

    public init(_ message: String) { self.message = message }
}
