public import SottoComputeBudget
import SottoONNXRuntime
public import SottoSpeechEngines
import SottoStreams

/// Voice activity by the Silero network at 16 kHz: a probability for every 32 ms.
///
/// ```swift
/// let voiceActivity = try SileroVoiceActivity(modelPath: "silero_vad.onnx", budget: budget)
/// let probabilities = try await voiceActivity.probabilities(recording)
/// ```
public struct SileroVoiceActivity: VoiceActivityDetector {
    /// New samples a frame; the network also sees the 64 before them.
    static let newSamples = 512
    static let contextSamples = 64

    public let sampleRate = 16_000
    public let frameLength = Self.newSamples
    private let model: ONNXSession
    private let budget: ComputeBudget

    /// Loads the model; takes some ten milliseconds.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`.
    public init(modelPath: String, budget: ComputeBudget) throws(RecognitionError) {
        do throws(ONNXRuntimeError) {
            // One frame takes 0.12 ms, too little to share between threads.
            model = try ONNXSession(path: modelPath, configuration: .init(threads: 1))
        } catch {
            throw RecognitionError(.modelNotLoaded, "voice activity: \(error); fetch it again: sotto models pull", cause: error)
        }
        guard Set(model.inputNames) == ["input", "state", "sr"], Set(model.outputNames) == ["output", "stateN"] else {
            throw RecognitionError(.modelNotLoaded, "\(modelPath) is not a Silero voice activity model; fetch it again: sotto models pull")
        }
        self.budget = budget
    }

    public func makeSession() async throws -> any VoiceActivitySession {
        try SileroSession(model: model, budget: budget)
    }
}
