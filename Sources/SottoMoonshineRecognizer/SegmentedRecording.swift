import SottoSpeechEngines

/// Keeps the samples that a stretch of speech may still need, and hands out each stretch that ends.
struct SegmentedRecording {
    /// One stretch of speech.
    struct Stretch: Equatable {
        /// In samples from the start of the recording.
        var start: Int
        var samples: [Float]
    }

    private let frameLength: Int
    private var segmenter: SpeechSegmenter
    private var kept: [Float] = []
    /// Where `kept` begins, in samples from the start of the recording.
    private var keptFrom = 0

    init(frameLength: Int, segmenter: SpeechSegmenter.Configuration) {
        self.frameLength = frameLength
        self.segmenter = SpeechSegmenter(configuration: segmenter)
    }

    /// Samples held at the moment, for tests of its bound.
    var heldSamples: Int { kept.count }

    /// Zeros that fill up the last frame.
    var missingSamples: Int { (frameLength - (keptFrom + kept.count) % frameLength) % frameLength }

    /// - Parameter probabilities: Of the frames that these samples completed.
    mutating func append(_ samples: [Float], probabilities: [Float]) -> [Stretch] {
        kept += samples
        var stretches: [Stretch] = []
        for probability in probabilities {
            if let frames = segmenter.observe(probability) { stretches.append(stretch(frames)) }
        }
        let unneeded = min(kept.count, segmenter.firstNeededFrame * frameLength - keptFrom)
        if unneeded > 0 {
            kept.removeFirst(unneeded)
            keptFrom += unneeded
        }
        return stretches
    }

    mutating func finish() -> Stretch? { segmenter.finish().map(stretch) }

    private func stretch(_ frames: Range<Int>) -> Stretch {
        let start = frames.lowerBound * frameLength
        let from = max(0, start - keptFrom)
        let end = min(kept.count, frames.upperBound * frameLength - keptFrom)
        return Stretch(start: start, samples: Array(kept[from..<max(from, end)]))
    }
}
