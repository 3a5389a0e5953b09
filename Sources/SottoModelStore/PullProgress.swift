public import SottoObservability

/// How far a pull, an import or a verification has come.
public struct PullProgress: Sendable, Equatable {
    public enum Phase: String, Sendable {
        /// Another process changes the store.
        case waiting
        case checking, downloading, joining, verifying
        /// The model is whole.
        case done
    }

    public var phase: Phase
    /// The model's id; empty while waiting.
    public var model: String
    /// What the phase works on: a file, a package, an address.
    public var item: String
    /// Bytes of the model's final files; never goes back within one pull, except after corrupt bytes.
    public var modelCompleted: Int64
    public var modelTotal: Int64
    /// Bytes over all models of this call.
    public var completed: Int64
    public var total: Int64

    /// The same in the form that every long work reports.
    public var asProgress: Progress {
        let name = model.isEmpty ? item : "\(model): \(item)"
        return Progress(phase: phase.rawValue, item: name, completed: completed, total: total)
    }
}

public typealias PullProgressHandler = @Sendable (PullProgress) -> Void
