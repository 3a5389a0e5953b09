import SottoSherpaProtocol
import SottoSubprocess

/// Why a model of sherpa-onnx could not be used; the message says what to do.
public struct SherpaHostError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The child could not be started, or its library is missing.
        case notStarted
        /// The model is refused, or the library ended the child over it.
        case modelRefused
        /// The child ended: crashed, or was ended by its library.
        case ended
        /// It did not answer in time and was killed.
        case timedOut
        /// What it says cannot be understood.
        case malformedAnswer
        /// It could not do what it was asked.
        case failed
    }

    public var code: Code
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }

    init(_ failure: SherpaFailure) {
        let code: Code =
            switch failure.code {
            case .libraryMissing: .notStarted
            case .modelRefused: .modelRefused
            case .notLoaded, .badRequest, .engineFailed: .failed
            }
        self.init(code, failure.message)
    }

    /// What the child's end says of the request that it was working on.
    init(_ error: SubprocessError, during kind: SherpaFrame.Kind) {
        let detail = (error.cause as? SubprocessError)?.message ?? error.message
        switch (error.code, kind) {
        case (.deadlineExceeded, .load): self.init(.timedOut, "the model was not loaded in time; it was given up", cause: error)
        case (.deadlineExceeded, _):
            self.init(.timedOut, "the model did not answer in time; it was given up and is loaded again at the next use", cause: error)
        case (_, .load):
            self.init(.modelRefused, "sherpa-onnx gave up over this model (\(detail)); its files are damaged or do not belong together", cause: error)
        default: self.init(.ended, "the process that holds the model ended (\(detail)); it is started again at the next use", cause: error)
        }
    }

    static func unexpected(_ answer: SherpaFrame) -> Self {
        Self(.malformedAnswer, "the sherpa host gave the answer \"\(answer.kind)\", which does not belong there; install it again")
    }
}
