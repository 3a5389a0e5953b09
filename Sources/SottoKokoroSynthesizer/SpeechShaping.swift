/// What is done to the model's samples before they are heard.
enum SpeechShaping {
    /// Quieter than this, relative to the piece's peak, counts as silence (−46 dB, below any speech sound of the model).
    private static let silence: Float = 0.005

    /// Speech with the model's own silence at both ends cut to a breath, faded at the edges, and followed by a pause.
    ///
    /// The fades of 5 ms make every join start and end at zero, so that nothing clicks.
    /// - Parameters:
    ///   - samples: The model's output for one piece.
    ///   - pause: Silence to follow, in seconds.
    static func shaped(_ samples: [Float], sampleRate: Int, pause: Double) -> [Float] {
        let peak = samples.reduce(0) { max($0, abs($1)) }
        let threshold = peak * silence
        guard peak > 0, let first = samples.firstIndex(where: { abs($0) > threshold }), let last = samples.lastIndex(where: { abs($0) > threshold })
        else { return [] }
        let start = max(0, first - sampleRate * 30 / 1000)
        let end = min(samples.count, last + 1 + sampleRate * 50 / 1000)
        var kept = Array(samples[start..<end])
        let fade = min(sampleRate * 5 / 1000, kept.count / 2)
        for index in 0..<fade {
            let gain = Float(index) / Float(fade)
            kept[index] *= gain
            kept[kept.count - 1 - index] *= gain
        }
        // Rarely, a loud vowel exceeds full scale; scaling keeps its shape where clipping would crackle.
        if peak > 0.99 {
            let gain = 0.99 / peak
            for index in kept.indices { kept[index] *= gain }
        }
        return kept + [Float](repeating: 0, count: Int(pause * Double(sampleRate)))
    }

    /// What is wrong with a piece, if anything: cheap checks that catch a run gone astray.
    ///
    /// A token takes 35 to 110 ms at speed 1 in this model's speech; the bounds leave a factor of two on both sides.
    static func fault(in samples: [Float], tokens: Int, speed: Double, sampleRate: Int) -> String? {
        guard samples.allSatisfy(\.isFinite) else { return "samples that are no numbers" }
        let peak = samples.reduce(0) { max($0, abs($1)) }
        guard peak > 0.01 else { return "silence" }
        let seconds = Double(samples.count) / Double(sampleRate) * speed
        // The model adds about a second of silence around any input.
        if seconds > 2.5 + 0.22 * Double(tokens) { return "\(seconds) seconds for \(tokens) tokens" }
        if seconds < 0.017 * Double(tokens) { return "only \(seconds) seconds for \(tokens) tokens" }
        let power = samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
        if power.squareRoot() > 0.5 { return "noise at full level" }
        return nil
    }
}
