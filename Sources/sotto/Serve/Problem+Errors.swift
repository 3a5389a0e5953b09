import SottoAgents
import SottoFetching
import SottoJobStore
import SottoModelStore
import SottoServiceExchange
import SottoServing
import SottoSpeechEngines
import SottoTakes
import SottoVoices

extension Problem {
    /// What to tell a client of an error in the middle of something, whatever it is.
    static func words(for error: any Error) -> String { Problem(telling: error)?.detail ?? "\(error)" }

    /// What an error of the program's own parts means to a client; `nil` for one that nobody outside can do anything about.
    init?(telling error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ScheduleError: self.init(422, "bad-time", error.message)
        case let error as CommandError: self.init(422, "refused", error.message)
        case let error as JobStoreError:
            switch error.code {
            case .notFound: self.init(404, "not-found", error.message)
            case .wrongState, .leaseLost: self.init(409, "wrong-state", error.message)
            case .busy: self.init(503, "busy", error.message, headers: [.init("Retry-After", "1")])
            case .diskFull: self.init(507, "disk-full", error.message)
            case .corrupt, .failed: return nil
            }
        case let error as TakeError:
            switch error.code {
            case .notFound: self.init(404, "not-found", error.message)
            case .inUse: self.init(409, "in-use", error.message)
            case .diskFull: self.init(507, "disk-full", error.message)
            case .notWritable: self.init(500, "not-writable", error.message)
            }
        case let error as VoiceError:
            switch error.code {
            case .unknown: self.init(404, "not-found", error.message)
            case .name: self.init(422, "bad-name", error.message)
            case .sample: self.init(422, "bad-sample", error.message)
            case .consent: self.init(422, "no-consent", error.message)
            default: self.init(422, "refused", error.message)
            }
        case let error as RecognitionError where error.code != .engineFailed:
            self.init(error.code == .modelNotLoaded ? 503 : 422, error.code == .modelNotLoaded ? "model-missing" : "refused", error.message)
        case let error as SynthesisError where error.code != .engineFailed && error.code != .phonemesFailed:
            self.init(error.code == .modelNotLoaded ? 503 : 422, error.code == .modelNotLoaded ? "model-missing" : "refused", error.message)
        case let error as ModelStoreError:
            self.init(error.code == .unknownModel ? 404 : 422, error.code == .unknownModel ? "not-found" : "refused", error.message)
        case let error as FetchError: self.init(422, "refused", error.message)
        case let error as ServiceError: self.init(error.status, error.status == 413 ? "body-too-large" : "bad-form", error.message)
        default: return nil
        }
    }
}
