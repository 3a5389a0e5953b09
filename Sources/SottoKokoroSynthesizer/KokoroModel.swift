internal import SottoONNXRuntime
internal import SottoSpeechEngines
internal import SottoStreams

/// The loaded network: tokens and a style in, samples out. Runs on a thread of its own.
actor KokoroModel {
    /// The most tokens of one run, without the padding.
    static let longestInput = 510
    /// Of what comes out, in hertz.
    static let sampleRate = 24_000

    private let executor = BlockingExecutor(label: "sotto.kokoro")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private let path: String
    /// One for each number of threads that was granted: the library fixes it when a session is made. Several threads are granted only
    /// while nothing else runs, so these may spin while they wait for each other.
    private var sessions: [Int: ONNXSession] = [:]

    init(path: String) { self.path = path }

    var isLoaded: Bool { sessions.isEmpty == false }

    /// Frees the network; the next run loads it again.
    func unload() { sessions = [:] }

    /// Loads the network for a number of threads, if that has not been done.
    func load(threads: Int) throws {
        _ = try session(threads: threads)
    }

    /// Runs one input. Blocks this actor alone.
    ///
    /// - Parameters:
    ///   - tokens: 1 to ``longestInput``, without padding.
    ///   - style: 256 values.
    /// - Throws: ``SynthesisError``; `CancellationError` once the flag is raised, in the middle of a run too.
    func run(tokens: [Int64], style: [Float], speed: Float, threads: Int, cancellation: CancellationFlag) throws -> [Float] {
        let session = try session(threads: threads)
        if cancellation.isCancelled { throw CancellationError() }
        do {
            let padded = [KokoroVocabulary.padding] + tokens + [KokoroVocabulary.padding]
            let options = try ONNXRunOptions(cancellation: cancellation)
            let outputs = try session.run(
                [
                    (session.inputNames.contains("tokens") ? "tokens" : "input_ids", ONNXValue(padded, shape: [1, padded.count])),
                    ("style", ONNXValue(style, shape: [1, style.count])), ("speed", ONNXValue([speed], shape: [1])),
                ],
                outputs: Array(session.outputNames.prefix(1)), options: options)
            return try outputs[0].floats()
        } catch let error as ONNXRuntimeError {
            throw SynthesisError(.engineFailed, "the voice model failed: \(error.message)", cause: error)
        }
    }

    private func session(threads: Int) throws -> ONNXSession {
        if let session = sessions[threads] { return session }
        do {
            let session = try ONNXSession(path: path, configuration: .init(threads: threads, allowsSpinning: threads > 1))
            sessions[threads] = session
            return session
        } catch {
            throw SynthesisError(
                .modelNotLoaded, "the voice model at \(path) cannot be loaded (\(error.message)); run `sotto models pull`", cause: error)
        }
    }
}
