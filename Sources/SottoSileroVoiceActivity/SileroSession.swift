import SottoComputeBudget
import SottoONNXRuntime
import SottoSpeechEngines
import SottoStreams

/// The network's memory of one recording.
actor SileroSession: VoiceActivitySession {
    /// Frames computed for one grant of a thread, about 8 ms of work.
    private static let batch = 64
    /// Music and noise leave a state that hides later speech, so it is cleared in clear non-speech: every two seconds without one
    /// frame above the level at which speech may go on.
    private static let resetFrames = 62
    private static let clearlySilent: Float = 0.1

    private let executor = BlockingExecutor(label: "sotto.silero")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let model: ONNXSession
    private let budget: ComputeBudget
    private let rate: ONNXValue
    private var state: ONNXValue
    /// Samples not yet used up, after the context of the next frame.
    private var pending = [Float](repeating: 0, count: SileroVoiceActivity.contextSamples)
    private var quietFrames = 0

    init(model: ONNXSession, budget: ComputeBudget) throws {
        self.model = model
        self.budget = budget
        rate = try ONNXValue([Int64(16_000)], shape: [])
        state = try Self.freshState()
    }

    private static func freshState() throws -> ONNXValue {
        try ONNXValue([Float](repeating: 0, count: 2 * 128), shape: [2, 1, 128])
    }

    func accept(_ samples: [Float]) async throws -> [Float] {
        // One sample that is not finite would stay in the state, and no speech after it would be found.
        let samples = pending + samples.map { $0.isFinite ? $0 : 0 }
        pending = []
        var probabilities: [Float] = []
        let (context, frame) = (SileroVoiceActivity.contextSamples, SileroVoiceActivity.newSamples)
        var position = 0
        while samples.count - position >= context + frame {
            try Task.checkCancellation()
            try await budget.withThreads(.hearing, wish: 1) { _ in
                for _ in 0..<Self.batch where samples.count - position >= context + frame {
                    probabilities.append(try run(Array(samples[position..<(position + context + frame)])))
                    position += frame
                }
            }
        }
        pending = Array(samples[position...])
        return probabilities
    }

    private func run(_ window: [Float]) throws -> Float {
        do {
            let input = try ONNXValue(window, shape: [1, window.count])
            let outputs = try model.run([("input", input), ("state", state), ("sr", rate)], outputs: ["output", "stateN"])
            state = outputs[1]
            let probability = try outputs[0].withFloats { $0.count > 0 ? $0[0] : 0 }
            quietFrames = probability < Self.clearlySilent ? quietFrames + 1 : 0
            if quietFrames >= Self.resetFrames {
                quietFrames = 0
                state = try Self.freshState()
            }
            return probability
        } catch let error as ONNXRuntimeError {
            throw RecognitionError(.engineFailed, "voice activity: \(error)", cause: error)
        }
    }
}
