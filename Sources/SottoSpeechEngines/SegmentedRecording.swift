/// Keeps the samples that a stretch of speech may still need, and hands out each stretch that ends.
package struct SegmentedRecording {
    /// One stretch of speech.
    package struct Stretch: Equatable {
        /// In samples from the start of the recording.
        package var start: Int
        package var samples: [Float]

        package init(start: Int, samples: [Float]) {
            self.start = start
            self.samples = samples
        }
    }

    private let frameLength: Int
    package private(set) var segmenter: SpeechSegmenter
    private var kept: [Float] = []
    /// Where `kept` begins, in samples from the start of the recording.
    private var keptFrom = 0
    /// Frames that were heard.
    package private(set) var frames = 0

    package init(frameLength: Int, segmenter: SpeechSegmenter.Configuration) {
        self.frameLength = frameLength
        self.segmenter = SpeechSegmenter(configuration: segmenter)
    }

    /// Samples as a session takes them in: a second at a time, so that a whole recording in one buffer is not held twice, and with silence for what is
    /// no number, which would make the whole stretch none.
    package static func parts(of samples: [Float], sampleRate: Int) -> some Sequence<[Float]> {
        stride(from: 0, to: samples.count, by: sampleRate).lazy.map { start in
            samples[start..<min(start + sampleRate, samples.count)].map { $0.isFinite ? $0 : 0 }
        }
    }

    /// Where speech was last heard in the open stretch, in samples; `nil` while it does not count or nothing is open.
    package var lastSpeech: Int? { segmenter.open.flatMap { $0.counts ? ($0.lastSpeech + 1) * frameLength : nil } }

    /// Samples held at the moment, for tests of its bound.
    package var heldSamples: Int { kept.count }

    /// Zeros that fill up the last frame.
    package var missingSamples: Int { (frameLength - (keptFrom + kept.count) % frameLength) % frameLength }

    package mutating func append(_ samples: [Float]) { kept += samples }

    /// Takes the probability of the next frame, whose samples are there.
    ///
    /// - Returns: The stretch that it ended, if it did.
    package mutating func observe(_ probability: Float) -> Stretch? {
        let start = frames * frameLength - keptFrom
        let level = NoiseFloor.level(of: kept[max(0, start)..<min(kept.count, max(0, start) + frameLength)])
        frames += 1
        return segmenter.observe(probability, level: level).map(stretch)
    }

    /// Lets go of what no later stretch can contain.
    package mutating func trim() {
        let unneeded = min(kept.count, segmenter.firstNeededFrame * frameLength - keptFrom)
        if unneeded > 0 {
            kept.removeFirst(unneeded)
            keptFrom += unneeded
        }
    }

    /// All that was heard of the stretch that is open.
    package func openStretch() -> Stretch? { segmenter.open.map { stretch($0.start..<frames) } }

    package mutating func keepWhole(until frame: Int) { segmenter.keepWhole(until: frame) }

    package mutating func endStretch(padding: Int?) -> Stretch? { segmenter.endStretch(padding: padding).map(stretch) }

    package mutating func finish() -> Stretch? { segmenter.finish().map(stretch) }

    private func stretch(_ frames: Range<Int>) -> Stretch {
        let start = frames.lowerBound * frameLength
        let from = max(0, start - keptFrom)
        let end = min(kept.count, frames.upperBound * frameLength - keptFrom)
        return Stretch(start: start, samples: Array(kept[from..<max(from, end)]))
    }
}
