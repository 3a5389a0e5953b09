internal import Foundation
internal import SottoAudio
public import SottoComputeBudget
public import SottoPhonemes
public import SottoSpeechEngines
public import SottoStreams

/// Speaks with Kokoro-82M: text → spoken form → phonemes → tokens and a style row → 24 kHz samples, sentence by sentence.
///
/// ```swift
/// let synthesizer = try KokoroSynthesizer(modelFolder: "…/kokoro-82m-int8", budget: budget)
/// for try await chunk in synthesizer.synthesize(.init(text: "Hello. How are you?")) { play(chunk.audio) }
/// ```
/// The network is loaded by the first request and freed by ``unload()``. While one piece is delivered the next is made, one
/// piece ahead. Every run asks the ``ComputeBudget``.
public struct KokoroSynthesizer: SpeechSynthesizer {
    /// Settings with their defaults.
    public struct Configuration: Sendable {
        /// The voice of requests that name none. Chosen by measurement: of the five, the one that an independent recognizer
        /// understands best in English (`Benchmarks/synthesis/roundtrip.py`: 1.9 % of words wrong, against 4.9 % for the next).
        public var defaultVoice: String
        /// Threads wished for one run.
        public var threads: Int
        /// Where speech is kept that may be asked for again.
        public var cache: (any SpeechCache)?
        /// Which model this is, for the cache: another one's speech must not be given.
        public var modelIdentity: String
        /// Voices beside those of the model; where both have a name, the fitted one is meant.
        public var fittedVoices: [FittedVoice]

        public init(
            defaultVoice: String = "jm_kumo", threads: Int = 2, cache: (any SpeechCache)? = nil, modelIdentity: String = "kokoro",
            fittedVoices: [FittedVoice] = []
        ) {
            self.defaultVoice = defaultVoice
            self.threads = threads
            self.cache = cache
            self.modelIdentity = modelIdentity
            self.fittedVoices = fittedVoices
        }
    }

    /// The paces that are accepted; others are brought to the nearer end.
    public static let speeds = 0.5...2.0

    public var sampleRate: Int { KokoroModel.sampleRate }
    public let voices: [SynthesisVoice]

    let configuration: Configuration
    let model: KokoroModel
    let styles: VoiceFile
    private let vocabulary: KokoroVocabulary
    private let phonemizer: Phonemizer
    let budget: ComputeBudget

    /// Reads the voices and the vocabulary; the network itself is loaded on demand.
    ///
    /// - Parameter modelFolder: Holds `model.onnx`, `voices.npz` and `vocab.json`.
    /// - Throws: ``SynthesisError`` `.modelNotLoaded` when a file is missing or damaged.
    public init(
        modelFolder: String, budget: ComputeBudget, phonemizer: Phonemizer = Phonemizer(), configuration: Configuration = Configuration()
    ) throws(SynthesisError) {
        let path = modelFolder + "/model.onnx"
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw SynthesisError(.modelNotLoaded, "the voice model at \(path) is missing; run `sotto models pull`")
        }
        styles = try VoiceFile(path: modelFolder + "/voices.npz")
        vocabulary = try KokoroVocabulary(path: modelFolder + "/vocab.json")
        model = KokoroModel(path: path)
        self.phonemizer = phonemizer
        self.budget = budget
        self.configuration = configuration
        if let odd = configuration.fittedVoices.first(where: { $0.style.count != VoiceFile.styleWidth || $0.style.allSatisfy(\.isFinite) == false }) {
            throw SynthesisError(.modelNotLoaded, "the voice \"\(odd.voice.name)\" is damaged; remove it and add it again (sotto voices)")
        }
        let fitted = configuration.fittedVoices.map(\.voice)
        voices = fitted + styles.names.filter { name in fitted.contains { $0.name == name } == false }.map { name in
            SynthesisVoice(
                name: name, languages: name.hasPrefix("j") ? ["ja"] : ["en"],
                note: "a \(name.dropFirst().hasPrefix("m") ? "man" : "woman"); made for Japanese, speaks English with an accent")
        }
    }

    /// Whether the network is in memory.
    public var isLoaded: Bool { get async { await model.isLoaded } }

    /// Frees the network and the phoneme program's process; the next request loads them again.
    public func unload() async {
        await model.unload()
        await phonemizer.unload()
    }

    /// Loads the network before the first request, so that it answers sooner.
    public func load() async throws {
        try await budget.withThreads(.speech, wish: configuration.threads) { threads in try await model.load(threads: threads) }
    }

    public func synthesize(_ request: SpeechRequest) -> SpeechChunks {
        synthesize(SpeechScript(SpeechPlan.parts(ofText: request.text), voice: request.voice, speed: request.speed))
    }

    public func synthesize(_ script: SpeechScript) -> SpeechChunks {
        SpeechChunks(capacity: 1) { emit in
            let voice = script.voice ?? configuration.defaultVoice
            guard style(of: voice, tokens: 1) != nil else {
                throw SynthesisError(.unknownVoice, "there is no voice \"\(voice)\"; the voices are \(voices.map(\.name).joined(separator: ", "))")
            }
            let speed = script.speed.isFinite ? min(max(script.speed, Self.speeds.lowerBound), Self.speeds.upperBound) : 1
            var plan = SpeechPlan(startsEarly: script.isAwaited)
            var hasSpoken = false
            func speak(_ pieces: [SpeechPlan.Piece]) async throws {
                for piece in pieces {
                    let samples = try await self.speak(piece, voice: voice, speed: speed)
                    guard samples.isEmpty == false else { continue }
                    let gap = hasSpoken ? SpeechShaping.gap(piece.pause / speed, sampleRate: sampleRate) : []
                    hasSpoken = true
                    try await emit(SpeechChunk(audio: AudioBuffer(samples: gap + samples, sampleRate: sampleRate), text: piece.text))
                }
            }
            for try await part in script.parts { try await speak(plan.add(part)) }
            try await speak(plan.finish())
            guard hasSpoken else { throw SynthesisError(.nothingToSay, "the text holds nothing that can be said") }
        }
    }

    /// One piece, shaped, without its pause; empty when it has no phonemes that the model knows.
    private func speak(_ piece: SpeechPlan.Piece, voice: String, speed: Double) async throws -> [Float] {
        // A part without a mark at its end goes on: the comma keeps the voice up.
        let phonemes = try await phonemes(of: piece.isOpen ? piece.spoken + "," : piece.spoken)
        let key = SpeechKey(text: phonemes, voice: voice, model: configuration.modelIdentity, speed: speed)
        // What a person's voice said is kept apart, so that it can be deleted with the voice.
        let fitted = configuration.fittedVoices.first { $0.voice.name == voice }
        let cache = fitted == nil ? configuration.cache : fitted?.cache
        if let kept = await cache?.speech(for: key), kept.sampleRate == sampleRate { return kept.samples }
        var samples: [Float] = []
        for tokens in try await inputs(for: piece.spoken, phonemes: phonemes) {
            let made = SpeechShaping.shaped(try await make(tokens, voice: voice, speed: speed), sampleRate: sampleRate, speed: speed)
            if samples.isEmpty == false { samples += SpeechShaping.gap(SpeechPlan.Pause.seam / speed, sampleRate: sampleRate) }
            samples += made
        }
        if samples.isEmpty == false { await cache?.keep(AudioBuffer(samples: samples, sampleRate: sampleRate), for: key) }
        return samples
    }

    func phonemes(of text: String) async throws -> String {
        do {
            return try await phonemizer.phonemes(of: text)
        } catch let error as PhonemeError {
            throw SynthesisError(.phonemesFailed, error.message, cause: error)
        }
    }

    /// The tokens of a text, in as many inputs as the model's longest allows.
    func inputs(for text: String, phonemes: String) async throws -> [[Int64]] {
        let tokens = vocabulary.encode(phonemes)
        // Marks alone are no speech.
        guard phonemes.contains(where: \.isLetter), tokens.isEmpty == false else { return [] }
        guard tokens.count > KokoroModel.longestInput else { return [tokens] }
        // Some words have many phonemes; such a piece is cut again, in half.
        let halves = SpeechPlan.parts(of: text, limit: max(40, text.count / 2 + 1))
        guard halves.count > 1 else { return [Array(tokens.prefix(KokoroModel.longestInput))] }
        var inputs: [[Int64]] = []
        for half in halves { inputs += try await self.inputs(for: half, phonemes: self.phonemes(of: half)) }
        return inputs
    }

    private func style(of voice: String, tokens: Int) -> [Float]? {
        if let fitted = configuration.fittedVoices.first(where: { $0.voice.name == voice }) { return styles.style(offset: fitted.style, tokens: tokens) }
        return styles.style(of: voice, tokens: tokens)
    }

    /// The model's samples for one input, made again once, at a slightly other pace, when they are plainly wrong.
    private func make(_ tokens: [Int64], voice: String, speed: Double) async throws -> [Float] {
        guard let style = style(of: voice, tokens: tokens.count) else { throw SynthesisError(.unknownVoice, "there is no voice \"\(voice)\"") }
        var fault: String?
        for pace in [speed, speed * 0.96] {
            let samples = try await budget.withThreads(.speech, wish: configuration.threads) { threads in
                try await withCancellationFlag { flag in
                    try await model.run(tokens: tokens, style: style, speed: Float(pace), threads: threads, cancellation: flag)
                }
            }
            fault = SpeechShaping.fault(in: samples, tokens: tokens.count, speed: pace, sampleRate: sampleRate)
            if fault == nil { return samples }
        }
        throw SynthesisError(.engineFailed, "the voice model gave \(fault ?? "nothing") twice; try another voice or `sotto models verify`")
    }
}
