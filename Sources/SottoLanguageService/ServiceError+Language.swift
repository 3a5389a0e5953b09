import SottoLanguageModels
import SottoServiceExchange

extension ServiceError {
    /// What a client is told of any error.
    ///
    /// - Returns: `nil` for a cancel, which nobody is told of.
    static func of(_ error: any Error) -> ServiceError? {
        switch error {
        case let error as ServiceError: return error
        case is CancellationError: return nil
        case let error as LanguageModelError:
            switch error.code {
            case .modelNotLoaded:
                return ServiceError(status: 503, type: "server_error", error.message, parameter: "model", code: "model_not_installed")
            case .contextOverflow: return .bad(error.message, "messages", code: "context_length_exceeded")
            case .badSchema: return .bad(error.message, "response_format", code: "unsupported_schema")
            case .malformedOutput, .engineFailed: return ServiceError(status: 500, type: "server_error", error.message)
            }
        default: return ServiceError(status: 500, type: "server_error", "\(error)")
        }
    }
}
