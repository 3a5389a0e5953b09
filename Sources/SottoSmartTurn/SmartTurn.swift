public import SottoComputeBudget
import SottoONNXRuntime
public import SottoSpeechEngines
import SottoStreams

/// The end of a turn, judged by the Smart Turn v3.2 network from how the last eight seconds sound.
///
/// ```swift
/// let detector = try SmartTurn(modelPath: "smart-turn-v3.2-cpu.onnx", budget: budget)
/// if try await detector.completion(of: newest) > 0.5 { … }
/// ```
/// A look takes about a tenth of a second on one thread and means something at a pause only.
public struct SmartTurn: TurnDetector {
    public let sampleRate = SmartTurnFeatures.sampleRate
    public let windowLength = SmartTurnFeatures.windowLength
    private let network: Network
    private let budget: ComputeBudget

    /// Loads the model.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`.
    public init(modelPath: String, budget: ComputeBudget) throws(RecognitionError) {
        let model: ONNXSession
        do throws(ONNXRuntimeError) {
            model = try ONNXSession(path: modelPath, configuration: .init(threads: 1))
        } catch {
            throw RecognitionError(.modelNotLoaded, "end of turn: \(error); fetch it again: sotto models pull smart-turn-v3.2", cause: error)
        }
        guard model.inputNames == ["input_features"], model.outputNames == ["logits"] else {
            throw RecognitionError(.modelNotLoaded, "\(modelPath) is not a Smart Turn model; fetch it again: sotto models pull smart-turn-v3.2")
        }
        network = Network(model: model)
        self.budget = budget
    }

    public func completion(of samples: [Float]) async throws -> Float {
        try await budget.withThreads(.hearing, wish: 1) { _ in
            try await withCancellationFlag { flag in try await network.run(samples, cancellation: flag) }
        }
    }

    /// The network, on a thread of its own.
    private actor Network {
        private let executor = BlockingExecutor(label: "sotto.smart-turn")
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        private let model: ONNXSession
        private let front = SmartTurnFeatures()

        init(model: ONNXSession) { self.model = model }

        func run(_ samples: [Float], cancellation: CancellationFlag) throws -> Float {
            do {
                let input = try ONNXValue(front.features(of: samples), shape: [1, SmartTurnFeatures.bands, SmartTurnFeatures.frames])
                let outputs = try model.run([("input_features", input)], outputs: ["logits"], options: try ONNXRunOptions(cancellation: cancellation))
                return try outputs[0].withFloats { $0.count > 0 ? $0[0] : 0 }
            } catch let error as ONNXRuntimeError {
                throw RecognitionError(.engineFailed, "end of turn: \(error)", cause: error)
            }
        }
    }
}
