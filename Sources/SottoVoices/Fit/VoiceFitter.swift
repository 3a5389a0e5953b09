internal import Foundation
public import SottoAudio
public import SottoSpeechEngines
internal import SottoStreams
internal import SottoText

/// Makes a synthesizer speak like the voice of a recording: finds the style whose speech a speaker encoder takes for the same speaker's.
///
/// ```swift
/// let fitter = VoiceFitter(synthesizer: kokoro, encoder: encoder, recognizer: recognizer, map: map)
/// var progress = try await fitter.begin(sample, seed: 1)
/// let near = try await fitter.judged(progress)                    // at once, from the map alone
/// try await fitter.refine(&progress, tries: 200) { save($0) }      // as long as one likes
/// let nearer = try await fitter.judged(progress)
/// ```
/// Each try is one short sentence of about two and a half seconds: its synthesis takes nearly all of the time. Everything asks for the machine as
/// work that nobody waits for.
public struct VoiceFitter: Sendable {
    /// Settings with their defaults.
    public struct Configuration: Sendable {
        /// How many of the map's ways are searched along: of the others hardly anything is heard.
        public var ways = 32
        /// Tries of one round, all of the same sentence so that only the styles differ.
        public var population = 12
        /// How far the first tries lie from what the map gives, along each way, in spreads of the stock voices.
        public var width = 0.65
        /// How many of the map's sentences the rounds take in turn.
        public var trySentences = 4
        /// Said to judge a style: other sentences than those it was found with.
        public var judgeSentences = [
            "The young girl gave no clear response to the question.", "Nine rows of soldiers stood in a long straight line.",
            "We find joy in the simplest things around the house.",
        ]
        /// The cost of a semitone beyond the first that the pitch is off, in likeness.
        public var pitchCost = 0.01
        /// Words wrong up to this part cost nothing: our recognizer mishears real speech too.
        public var freeErrorRate = 0.04
        /// The cost of all words wrong beyond that, in likeness: a voice that is not understood is worth nothing.
        public var errorCost = 1.0
        /// Parts of the way from the stock voice that are gone when the end of it is not understood.
        public var retreats = [0.75, 0.5]

        public init() {}
    }

    private let synthesizer: any StyleSynthesizing
    private let encoder: any SpeakerEncoding
    private let recognizer: (any SpeechRecognizer)?
    private let map: StyleMap
    private let configuration: Configuration

    /// - Parameter recognizer: Keeps styles intelligible; without one only likeness and pitch count.
    public init(
        synthesizer: any StyleSynthesizing, encoder: any SpeakerEncoding, recognizer: (any SpeechRecognizer)?, map: StyleMap,
        configuration: Configuration = Configuration()
    ) {
        self.synthesizer = synthesizer
        self.encoder = encoder
        self.recognizer = recognizer
        self.map = map
        self.configuration = configuration
    }

    /// Takes the measure of a sample, and finds where a search for its voice begins. Nothing is synthesized.
    ///
    /// - Parameters:
    ///   - sample: At least half a second of speech, any rate.
    ///   - seed: The same one gives the same search.
    /// - Throws: ``SpeakerError``, ``SynthesisError``, `AudioError`; `CancellationError`.
    public func begin(_ sample: AudioBuffer, seed: UInt64) async throws -> FitProgress {
        let audio = try sample.resampled(to: encoder.sampleRate)
        let target = try await encoder.embedding(of: audio)
        let pitch = PitchEstimate(audio).median
        guard let nearest = synthesizer.stockStyles.max(by: { map.likeness(of: $0.style, to: target) < map.likeness(of: $1.style, to: target) }) else {
            throw SynthesisError(.modelNotLoaded, "the voice model has no voices; run `sotto models verify`")
        }
        let ways = max(1, min(configuration.ways, map.ways.count))
        return FitProgress(
            target: target, pitch: pitch, ceiling: try await ceiling(audio), start: nearest.style, startName: nearest.name,
            first: map.nearestStyle(to: target, pitch: pitch, from: nearest.style, pitchCost: configuration.pitchCost),
            search: EvolutionStrategy(start: [Double](repeating: 0, count: ways), width: configuration.width, population: configuration.population, seed: seed))
    }

    /// How alike two halves of a recording are; `nil` when they are too short to say.
    private func ceiling(_ audio: AudioBuffer) async throws -> Double? {
        let middle = audio.samples.count / 2
        guard audio.seconds >= 4 else { return nil }
        do {
            let first = try await encoder.embedding(of: AudioBuffer(samples: Array(audio.samples[..<middle]), sampleRate: audio.sampleRate))
            let second = try await encoder.embedding(of: AudioBuffer(samples: Array(audio.samples[middle...]), sampleRate: audio.sampleRate))
            return Double(first.likeness(to: second))
        } catch let error as SpeakerError where error.code == .tooLittleSpeech {
            return nil
        }
    }

    /// Goes on with the search.
    ///
    /// - Parameters:
    ///   - tries: How many tries there are to be in the end, those of before included.
    ///   - each: Told after every try; what it throws ends the search with nothing lost.
    /// - Throws: ``SynthesisError`` when a third of all tries gives no speech; `CancellationError`.
    public func refine(_ progress: inout FitProgress, tries: Int, each: (FitProgress) async throws -> Void) async throws {
        while progress.tries < tries {
            try Task.checkCancellation()
            let points = progress.search.ask()
            let sentence = sentence(progress.search.evaluations / progress.search.population)
            let style = map.style(progress.first, movedBy: points[progress.costs.count])
            var cost = Double.infinity
            do {
                cost = try await self.cost(of: style, saying: sentence, progress)
            } catch let error as SynthesisError where error.code == .engineFailed {
                try count(error, &progress)
            } catch let error as SpeakerError where error.code == .tooLittleSpeech {
                try count(error, &progress)
            }
            // What JSON cannot hold is as dear as it can be.
            progress.costs.append(cost.isFinite ? cost : 1e6)
            if progress.costs.count == progress.search.population {
                progress.search.tell(progress.costs)
                progress.costs = []
            }
            try await each(progress)
        }
    }

    private func count(_ error: some Error, _ progress: inout FitProgress) throws {
        progress.failures += 1
        guard progress.failures <= 3 + progress.tries / 3 else { throw error }
    }

    private func cost(of style: [Float], saying sentence: StyleMap.Sentence, _ progress: FitProgress) async throws -> Double {
        let speech = try await synthesizer.speech(of: sentence.text, style: style)
        let heard = sentence.corrected(try await direction(speech))
        let cost = pitchCost(speech, progress) - Double(heard.likeness(to: progress.target))
        // The recognizer costs a tenth of a try; only what would count in this round is worth it.
        let counting = progress.costs.sorted().prefix(progress.search.population / 2)
        if counting.count == progress.search.population / 2, let worst = counting.last, cost > worst { return cost }
        return cost + (try await errorCost(of: [(sentence.text, speech)]).cost)
    }

    /// The best style so far, said and judged on sentences of its own: the middle of the search, or what the map gave when that is better.
    public func judged(_ progress: FitProgress) async throws -> EnrolledVoice.Style {
        var candidates = [progress.first]
        // A stock voice is no worse than itself, where the map is far off.
        if progress.search.evaluations == 0 {
            candidates.append(progress.start)
        } else {
            candidates.insert(map.style(progress.first, movedBy: progress.search.mean), at: 0)
        }
        var chosen: (style: EnrolledVoice.Style, score: Double)?
        // Only asked for while words are lost.
        let nearest = candidates[0]
        let retreats = configuration.retreats.map { share in zip(progress.start, nearest).map { $0 + Float(share) * ($1 - $0) } }
        for (index, candidate) in (candidates + retreats).enumerated() {
            if index >= candidates.count, chosen.map({ ($0.style.wordErrorRate ?? 0) <= configuration.freeErrorRate }) ?? false { break }
            let style: EnrolledVoice.Style
            let score: Double
            do {
                (style, score) = try await judge(candidate, progress)
            } catch let error as SynthesisError where error.code == .engineFailed {
                continue
            }
            if score > chosen?.score ?? -.infinity { chosen = (style, score) }
        }
        guard let chosen else {
            throw SynthesisError(.engineFailed, "no style like this voice gives speech; record another sample, or run `sotto models verify`")
        }
        return chosen.style
    }

    private func judge(_ style: [Float], _ progress: FitProgress) async throws -> (EnrolledVoice.Style, score: Double) {
        var said: [(sentence: String, speech: AudioBuffer)] = []
        for sentence in configuration.judgeSentences { said.append((sentence, try await synthesizer.speech(of: sentence, style: style))) }
        // Together: the encoder takes the mean over all its looks, so no sentence's own sound weighs much.
        let joined = AudioBuffer(samples: said.flatMap(\.speech.samples), sampleRate: synthesizer.sampleRate)
        let likeness = Double(try await direction(joined).likeness(to: progress.target))
        let errors = try await errorCost(of: said)
        let semitones = progress.pitch.flatMap { pitch in PitchEstimate(joined).median.map { 12 * log2($0 / pitch) } }
        let result = EnrolledVoice.Style(
            values: style, likeness: likeness, wordErrorRate: errors.rate, semitones: semitones, tries: progress.tries)
        return (result, likeness - errors.cost - configuration.pitchCost * max(0, abs(semitones ?? 0) - 1))
    }

    private func sentence(_ index: Int) -> StyleMap.Sentence { map.sentences[index % min(max(1, configuration.trySentences), map.sentences.count)] }

    private func direction(_ speech: AudioBuffer) async throws -> [Float] {
        try await encoder.embedding(of: try speech.resampled(to: encoder.sampleRate, quality: .high))
    }

    private func pitchCost(_ speech: AudioBuffer, _ progress: FitProgress) -> Double {
        guard let wanted = progress.pitch, let pitch = PitchEstimate(speech).median else { return 0 }
        return configuration.pitchCost * max(0, abs(12 * log2(pitch / wanted)) - 1)
    }

    private func errorCost(of said: [(sentence: String, speech: AudioBuffer)]) async throws -> (rate: Double?, cost: Double) {
        guard let recognizer else { return (nil, 0) }
        var total = WordErrorRate()
        for (sentence, speech) in said {
            let heard = try await recognizer.transcribe(AudioStream(try speech.resampled(to: recognizer.sampleRate))).finals().map(\.text).joined(separator: " ")
            total = total + WordErrorRate(reference: TranscriptNormalizer.words(sentence), hypothesis: TranscriptNormalizer.words(heard))
        }
        let rate = min(1, total.rate)
        return (rate, configuration.errorCost * max(0, rate - configuration.freeErrorRate))
    }
}
