public import SottoObservability

/// What a guest is to show while its command runs in the owner.
public enum OwnerEvent: Sendable, Equatable {
    /// Bytes for standard output.
    case output([UInt8])
    /// A line for standard error that `--quiet` drops.
    case note(String)
    /// A line for standard error that is always shown.
    case problem(String)
    case progress(Progress)
}
