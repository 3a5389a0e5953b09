import CONNXRuntime
import Glibc
import SottoStreams

/// A model that is loaded and can be run.
@safe public final class ONNXSession: @unchecked Sendable {  // The library allows concurrent runs of one session.
    public struct Configuration: Sendable {
        /// Threads inside one operator, at least 1.
        public var threads: Int
        /// Whether waiting threads burn their core to start sooner. Costly when anything else needs the core, so off.
        public var allowsSpinning: Bool
        /// Keeps freed tensor memory for the next run.
        public var usesArena: Bool

        public init(threads: Int = 1, allowsSpinning: Bool = false, usesArena: Bool = true) {
            self.threads = threads
            self.allowsSpinning = allowsSpinning
            self.usesArena = usesArena
        }
    }

    private let library: ONNXLibrary
    private let session: OpaquePointer
    public let inputNames: [String]
    public let outputNames: [String]

    /// Loads a model file, `.onnx` or `.ort`. Blocks for as long as that takes.
    ///
    /// - Throws: ``ONNXRuntimeError`` `.modelNotLoaded` when the file is missing, damaged or not understood.
    public init(path: String, configuration: Configuration = Configuration()) throws(ONNXRuntimeError) {
        let library = try ONNXLibrary.shared()
        guard unsafe access(path, R_OK) == 0 else { throw ONNXRuntimeError(.modelNotLoaded, "there is no readable model file at \(path)") }
        var options: OpaquePointer?
        try unsafe library.check(library.api.CreateSessionOptions(&options), .modelNotLoaded, "preparing \(path)")
        defer { unsafe library.api.ReleaseSessionOptions(options) }
        func set(_ status: OpaquePointer?) throws(ONNXRuntimeError) { try unsafe library.check(status, .modelNotLoaded, "preparing \(path)") }
        try unsafe set(library.api.SetSessionGraphOptimizationLevel(options, 99))  // all
        try unsafe set(library.api.SetIntraOpNumThreads(options, Int32(max(1, configuration.threads))))
        try unsafe set(library.api.SetInterOpNumThreads(options, 1))
        try unsafe set(library.api.AddSessionConfigEntry(options, "session.intra_op.allow_spinning", configuration.allowsSpinning ? "1" : "0"))
        if configuration.usesArena == false { try unsafe set(library.api.DisableCpuMemArena(options)) }
        var session: OpaquePointer?
        try unsafe library.check(
            library.api.CreateSession(library.environmentPointer, path, options, &session), .modelNotLoaded, "loading \(path)")
        guard let session = unsafe session else { throw ONNXRuntimeError(.modelNotLoaded, "\(path) gave no session") }
        do throws(ONNXRuntimeError) {
            inputNames = try unsafe Self.names(session, library, library.api.SessionGetInputCount, library.api.SessionGetInputName)
            outputNames = try unsafe Self.names(session, library, library.api.SessionGetOutputCount, library.api.SessionGetOutputName)
        } catch {
            unsafe library.api.ReleaseSession(session)
            throw error
        }
        self.library = library
        unsafe self.session = session
    }

    deinit { unsafe library.api.ReleaseSession(session) }

    /// Runs the model. Blocks until it is done.
    ///
    /// - Parameters:
    ///   - inputs: By name; every input of the model that has no default.
    ///   - outputs: The names wanted, in the order in which they are returned.
    ///   - options: Lets the run be stopped.
    /// - Throws: ``ONNXRuntimeError``; `CancellationError` when the options' flag was raised.
    public func run(_ inputs: [(name: String, value: ONNXValue)], outputs: [String], options: ONNXRunOptions? = nil) throws -> [ONNXValue] {
        if options?.cancellation.isCancelled == true { throw CancellationError() }
        let inputNames = unsafe inputs.map { unsafe strdup($0.name) }
        let outputNames = unsafe outputs.map { unsafe strdup($0) }
        defer {
            for unsafe name in unsafe inputNames + outputNames { unsafe free(name) }
        }
        let inputNamePointers = unsafe inputNames.map { unsafe UnsafePointer($0) }
        let outputNamePointers = unsafe outputNames.map { unsafe UnsafePointer($0) }
        let values: [OpaquePointer?] = unsafe inputs.map { unsafe $0.value.pointer }
        var results = unsafe [OpaquePointer?](repeating: nil, count: outputs.count)
        let status = unsafe library.api.Run(
            session, options?.pointer, inputNamePointers, values, values.count, outputNamePointers, outputNamePointers.count, &results)
        extendLifetime(inputs)
        extendLifetime(options)
        // What was made before a failure is owned here and freed by its deinit.
        let made = unsafe results.compactMap { unsafe $0.map { unsafe ONNXValue(owning: $0, library: library) } }
        do {
            try unsafe library.check(status, .runFailed, "running the model")
        } catch {
            if options?.cancellation.isCancelled == true { throw CancellationError() }
            throw error
        }
        guard made.count == outputs.count else { throw ONNXRuntimeError(.runFailed, "the model gave \(made.count) of \(outputs.count) outputs") }
        return made
    }

    private static func names(
        _ session: OpaquePointer, _ library: ONNXLibrary, _ count: (OpaquePointer?, UnsafeMutablePointer<Int>?) -> OpaquePointer?,
        _ name: (OpaquePointer?, Int, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> OpaquePointer?
    ) throws(ONNXRuntimeError) -> [String] {
        var total = 0
        try unsafe library.check(count(session, &total), .modelNotLoaded, "reading the model's names")
        var allocator: OpaquePointer?
        try unsafe library.check(library.api.GetAllocatorWithDefaultOptions(&allocator), .modelNotLoaded, "reading the model's names")
        var names: [String] = []
        for index in 0..<total {
            var text: UnsafeMutablePointer<CChar>?
            try unsafe library.check(name(session, index, allocator, &text), .modelNotLoaded, "reading the model's names")
            guard let text = unsafe text else { continue }
            names.append(unsafe String(cString: text))
            if let status = unsafe library.api.AllocatorFree(allocator, text) { unsafe library.api.ReleaseStatus(status) }
        }
        return names
    }
}
