/// What is done to the model's samples before they are heard.
enum SpeechShaping {
    /// Quieter than this, relative to the piece's peak, counts as silence (−46 dB, below any speech sound of the model).
    private static let silence: Float = 0.005
    /// What is kept of the model's own silence, in seconds: a sound begins and dies away over it.
    private static let lead = 0.015
    private static let tail = 0.03
    /// No silence inside a piece lasts longer, in seconds at speed 1.
    static let longestRest = 0.45

    /// Speech without the model's own silence at both ends, its inner silences capped, faded at the edges.
    ///
    /// The fades of 5 ms make every join start and end at zero, so that nothing clicks.
    /// - Parameters:
    ///   - samples: The model's output for one piece.
    ///   - speed: Inner silences are capped accordingly.
    /// - Returns: Empty for silence.
    static func shaped(_ samples: [Float], sampleRate: Int, speed: Double = 1) -> [Float] {
        let peak = samples.reduce(0) { max($0, abs($1)) }
        let threshold = peak * silence
        guard peak > 0, let first = samples.firstIndex(where: { abs($0) > threshold }), let last = samples.lastIndex(where: { abs($0) > threshold })
        else { return [] }
        let start = max(0, first - Int(lead * Double(sampleRate)))
        let end = min(samples.count, last + 1 + Int(tail * Double(sampleRate)))
        var kept = withCappedRests(samples[start..<end], threshold: threshold, longest: Int(longestRest / speed * Double(sampleRate)), fade: sampleRate / 200)
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
        return kept
    }

    /// The zeros that stand between two pieces so that the silence that is heard lasts `pause` seconds.
    static func gap(_ pause: Double, sampleRate: Int) -> [Float] {
        [Float](repeating: 0, count: max(0, Int((pause - lead - tail) * Double(sampleRate))))
    }

    /// The samples with the middle of each silence that is too long taken out, by a short crossfade.
    private static func withCappedRests(_ samples: ArraySlice<Float>, threshold: Float, longest: Int, fade: Int) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(samples.count)
        var quietSince = samples.startIndex
        var copied = samples.startIndex
        for index in samples.indices where abs(samples[index]) > threshold {
            let length = index - quietSince
            if length > longest, longest > 2 * fade {
                let head = quietSince + longest / 2
                let rest = index - (longest - longest / 2)
                result += samples[copied..<head]
                for step in 0..<fade {
                    let gain = Float(step) / Float(fade)
                    result[result.count - fade + step] = result[result.count - fade + step] * (1 - gain) + samples[rest - fade + step] * gain
                }
                copied = rest
            }
            quietSince = index + 1
        }
        result += samples[copied...]
        return result
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
        let clipped = samples.count { abs($0) >= 0.999 }
        if clipped > samples.count / 100 { return "speech beyond full level" }
        if isFlat(samples, sampleRate: sampleRate) { return "an even noise" }
        return nil
    }

    /// Whether the level hardly changes for most of the time, as in noise and hum; speech swings by 20 dB and more within a word.
    private static func isFlat(_ samples: [Float], sampleRate: Int) -> Bool {
        let width = sampleRate / 50
        guard samples.count > width * 15 else { return false }
        var levels = stride(from: 0, to: samples.count - width, by: width).map { start in
            samples[start..<(start + width)].reduce(0) { $0 + $1 * $1 } / Float(width)
        }
        levels.sort()
        // In power: 0.1 is 10 dB between the quiet and the loud tenth.
        return levels[levels.count / 10] > 0.1 * levels[levels.count * 9 / 10]
    }
}
