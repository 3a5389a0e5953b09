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
    private(set) var segmenter: SpeechSegmenter
    private var kept: [Float] = []
    /// Where `kept` begins, in samples from the start of the recording.
    private var keptFrom = 0
    /// Frames that were heard.
    private(set) var frames = 0

    init(frameLength: Int, segmenter: SpeechSegmenter.Configuration) {
        self.frameLength = frameLength
        self.segmenter = SpeechSegmenter(configuration: segmenter)
    }

    /// Samples held at the moment, for tests of its bound.
    var heldSamples: Int { kept.count }

    /// Zeros that fill up the last frame.
    var missingSamples: Int { (frameLength - (keptFrom + kept.count) % frameLength) % frameLength }

    mutating func append(_ samples: [Float]) { kept += samples }

    /// Takes the probability of the next frame, whose samples are there.
    ///
    /// - Returns: The stretch that it ended, if it did.
    mutating func observe(_ probability: Float) -> Stretch? {
        let start = frames * frameLength - keptFrom
        let level = NoiseFloor.level(of: kept[max(0, start)..<min(kept.count, max(0, start) + frameLength)])
        frames += 1
        return segmenter.observe(probability, level: level).map(stretch)
    }

    /// Lets go of what no later stretch can contain.
    mutating func trim() {
        let unneeded = min(kept.count, segmenter.firstNeededFrame * frameLength - keptFrom)
        if unneeded > 0 {
            kept.removeFirst(unneeded)
            keptFrom += unneeded
        }
    }

    /// All that was heard of the stretch that is open.
    func openStretch() -> Stretch? { segmenter.open.map { stretch($0.start..<frames) } }

    mutating func keepWhole(until frame: Int) { segmenter.keepWhole(until: frame) }

    mutating func endStretch(padding: Int?) -> Stretch? { segmenter.endStretch(padding: padding).map(stretch) }

    mutating func finish() -> Stretch? { segmenter.finish().map(stretch) }

    private func stretch(_ frames: Range<Int>) -> Stretch {
        let start = frames.lowerBound * frameLength
        let from = max(0, start - keptFrom)
        let end = min(kept.count, frames.upperBound * frameLength - keptFrom)
        return Stretch(start: start, samples: Array(kept[from..<max(from, end)]))
    }
}
