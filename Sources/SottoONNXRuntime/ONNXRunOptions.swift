import CONNXRuntime
public import SottoStreams

/// Lets one job's runs be stopped from outside: when the flag is raised, the library returns after the operator it is in.
@safe public final class ONNXRunOptions: @unchecked Sendable {  // The one write, the terminate mark, is made for other threads.
    private let library: ONNXLibrary
    private let options: OpaquePointer
    let cancellation: CancellationFlag

    /// - Parameter cancellation: Raised once for the job; a raised flag ends every later run at once.
    public init(cancellation: CancellationFlag) throws(ONNXRuntimeError) {
        library = try ONNXLibrary.shared()
        var options: OpaquePointer?
        try unsafe library.check(library.api.CreateRunOptions(&options), .runFailed, "making run options")
        guard let options = unsafe options else { throw ONNXRuntimeError(.runFailed, "no run options were made") }
        unsafe self.options = options
        self.cancellation = cancellation
        // The closure keeps the options alive until the flag is gone, so a late cancel never meets freed memory.
        cancellation.onCancel { [self] in
            if let status = unsafe library.api.RunOptionsSetTerminate(self.options) { unsafe library.api.ReleaseStatus(status) }
        }
    }

    deinit { unsafe library.api.ReleaseRunOptions(options) }

    var pointer: OpaquePointer { unsafe options }
}
