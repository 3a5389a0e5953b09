internal import Foundation
public import SottoAudio
public import SottoSpeechEngines
internal import SottoStreams

/// The GE2E speaker encoder: three LSTM layers over mel power, 256 values a voice.
///
/// ```swift
/// let encoder = SpeakerEncoder(weights: "…/ge2e/pretrained.pt")
/// let likeness = try await encoder.embedding(of: a).likeness(to: encoder.embedding(of: b))
/// ```
/// Two halves of one recording come out at about 0.8, different speakers at 0.63. The computation is ours, in about 0.1 s for 1.6 s of speech on one
/// core: the network is small, and its weights are then needed in no other form. It blocks a thread of its own.
public actor SpeakerEncoder: SpeakerEncoding {
    public nonisolated let sampleRate = 16_000
    /// Frames of one look: 1.6 s.
    private static let look = 160
    /// Frames between two looks: 1.3 looks a second, as Resemblyzer's `embed_utterance`.
    private static let step = 77
    /// What a recording's level is raised to, in dB below full scale.
    private static let level: Float = -30

    private let executor = BlockingExecutor(label: "sotto.speaker-encoder")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private let path: String
    private var weights: GE2EWeights?
    private let mel = MelPower()

    /// - Parameter weights: Path of the published `pretrained.pt`; read by the first request.
    public init(weights path: String) { self.path = path }

    /// Frees the weights; the next request reads them again.
    public func unload() { weights = nil }

    public func embedding(of audio: AudioBuffer) throws -> [Float] {
        guard audio.sampleRate == sampleRate else {
            throw SpeakerError(.unsupportedSampleRate, "the speaker encoder takes audio at \(sampleRate) Hz, not \(audio.sampleRate); resample it first")
        }
        let speech = Self.withoutSilence(audio.samples)
        guard speech.count >= sampleRate / 2 else {
            throw SpeakerError(.tooLittleSpeech, "there is too little speech to tell the voice; record some seconds of it")
        }
        return try embedding(ofSpeech: Self.leveled(speech))
    }

    /// The direction of samples as they are, silence and level included.
    func embedding(ofSpeech samples: [Float]) throws -> [Float] {
        let weights = try loaded()
        // The looks: steps over the whole recording, the last only when three quarters of it are filled.
        let frames = (samples.count + 1 + MelPower.hop - 1) / MelPower.hop
        var starts = Array(stride(from: 0, to: max(1, frames - Self.look + Self.step + 1), by: Self.step))
        if starts.count > 1, let last = starts.last, Double(samples.count - last * MelPower.hop) < 0.75 * Double(Self.look * MelPower.hop) { starts.removeLast() }
        let end = ((starts.last ?? 0) + Self.look) * MelPower.hop
        let spectra = mel.frames(samples + [Float](repeating: 0, count: max(0, end - samples.count)))
        var sum = [Float](repeating: 0, count: GE2EWeights.cells)
        for start in starts {
            try Task.checkCancellation()
            let part = Array(spectra[(start * MelPower.bands)..<((start + Self.look) * MelPower.bands)])
            for (index, value) in Self.look(at: part, weights).enumerated() { sum[index] += value }
        }
        return Self.normalized(sum)
    }

    private func loaded() throws(SpeakerError) -> GE2EWeights {
        if let weights { return weights }
        let read = try GE2EWeights(path: path)
        weights = read
        return read
    }

    /// One look of 160 frames: the last layer's last state through the output layer, not below zero, of length 1.
    private static func look(at frames: [Float], _ weights: GE2EWeights) -> [Float] {
        var sequence = frames
        for layer in weights.layers { sequence = run(layer, over: sequence) }
        let last = Array(sequence.suffix(GE2EWeights.cells))
        var result = weights.outputBias
        MatrixProduct.add(weights.output, columns: GE2EWeights.cells, times: last, from: 0, to: &result)
        return normalized(result.map { max(0, $0) })
    }

    /// One LSTM layer (gates in PyTorch's order i, f, g, o) over a sequence, from a state of zeros.
    private static func run(_ layer: GE2EWeights.Layer, over sequence: [Float]) -> [Float] {
        let cells = GE2EWeights.cells
        let steps = sequence.count / layer.inputs
        var hidden = [Float](repeating: 0, count: cells)
        var memory = [Float](repeating: 0, count: cells)
        var gates = layer.bias
        var result: [Float] = []
        result.reserveCapacity(steps * cells)
        for step in 0..<steps {
            gates = layer.bias
            MatrixProduct.add(layer.input, columns: layer.inputs, times: sequence, from: step * layer.inputs, to: &gates)
            MatrixProduct.add(layer.hidden, columns: cells, times: hidden, from: 0, to: &gates)
            for cell in 0..<cells {
                memory[cell] = logistic(gates[cells + cell]) * memory[cell] + logistic(gates[cell]) * tanhf(gates[2 * cells + cell])
                hidden[cell] = logistic(gates[3 * cells + cell]) * tanhf(memory[cell])
            }
            result += hidden
        }
        return result
    }

    private static func logistic(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

    private static func normalized(_ vector: [Float]) -> [Float] {
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return length > 0 ? vector.map { $0 / length } : vector
    }

    /// Raised to the level that the encoder was trained with; louder recordings stay as they are.
    static func leveled(_ samples: [Float]) -> [Float] {
        let power = samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
        guard power > 0 else { return samples }
        let gain = pow(10, (level - 10 * log10f(power)) / 20)
        return gain > 1 ? samples.map { $0 * gain } : samples
    }

    /// Without the frames of 30 ms that lie far below the recording's loud ones, but for a short breath around speech.
    static func withoutSilence(_ samples: [Float]) -> [Float] {
        let width = 480
        let levels = stride(from: 0, to: samples.count - width + 1, by: width).map { start in
            samples[start..<(start + width)].reduce(0) { $0 + $1 * $1 } / Float(width)
        }
        guard let loud = levels.sorted().dropLast(levels.count / 20).last, loud > 1e-9 else { return [] }
        // 30 dB below the loud frames.
        let isSpeech = levels.map { $0 > loud * 0.001 }
        var kept: [Float] = []
        for index in levels.indices where isSpeech[max(0, index - 3)...min(levels.count - 1, index + 3)].contains(true) {
            kept += samples[(index * width)..<((index + 1) * width)]
        }
        return kept
    }
}
