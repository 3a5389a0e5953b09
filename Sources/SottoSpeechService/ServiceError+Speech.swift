import SottoServiceExchange
import SottoSpeechEngines

extension ServiceError {
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
}
