public import SottoAudio
public import SottoComputeBudget
public import SottoPhonemes
internal import SottoSherpaProtocol
public import SottoSpeechEngines
public import SottoStreams
internal import SottoText

/// Speaks with ZipVoice in the voice of a reference, in a child process, for users who installed that model.
///
/// ```swift
/// let prompt = try ReferencePrompt(audio: sample, text: words, heard: transcripts)
/// let synthesizer = try ZipVoiceSynthesizer(model: files, references: ["anna": prompt], listen: hear, budget: budget, configuration: configuration)
/// ```
/// A sentence at a time: phonemes of espeak-ng → the model's tokens → samples. Each is checked by its length, and by what our recognizer
/// hears in it; a wrong one is made once more, slower, and is an error when it is wrong again: nothing is spoken in another voice instead.
public struct ZipVoiceSynthesizer: SpeechSynthesizer {
    /// Letters and digits; texts with fewer lose sounds, so they are spoken slower, between marks that carry no sound.
    private static let shortText = 12
    private static let shortTextPace = 0.85
    /// The pace of a second try.
    private static let secondPace = 0.85
    /// Characters of the longest piece that is made at once.
    private static let longestPiece = 220
    /// Steps of the flow that the distilled model was made for.
    private static let steps = 4
    /// Samples below this are silence: −50 dB.
    private static let silence: Float = 0.003

    public let sampleRate = 24_000
    public let voices: [SynthesisVoice]

    private let references: [String: ReferencePrompt]
    private let pool: SherpaPool
    private let tokens: TokenList
    private let phonemizer: Phonemizer
    private let listen: (@Sendable (AudioBuffer) async throws -> String)?
    private let budget: ComputeBudget
    private let configuration: SherpaConfiguration

    /// - Parameters:
    ///   - references: Voices by name.
    ///   - listen: What our recognizer hears in a recording; `nil` checks by length alone.
    /// - Throws: ``SynthesisError`` `.modelNotLoaded`.
    public init(
        model: SherpaModelFiles, references: [String: ReferencePrompt], phonemizer: Phonemizer = Phonemizer(),
        listen: (@Sendable (AudioBuffer) async throws -> String)?, budget: ComputeBudget, configuration: SherpaConfiguration
    ) throws(SynthesisError) {
        guard model.model.family == .zipVoice, let list = model.model.files["tokens"] else {
            throw SynthesisError(.modelNotLoaded, "this is no ZipVoice model; it is a \(model.kind)")
        }
        tokens = try TokenList(path: list)
        self.references = references
        self.phonemizer = phonemizer
        self.listen = listen
        self.budget = budget
        self.configuration = configuration
        pool = SherpaPool(SherpaLoad(model: model.model, threads: max(1, configuration.threads)), configuration)
        voices = references.keys.sorted().map { SynthesisVoice(name: $0, languages: ["en"], note: "cloned from a recording") }
    }

    /// Ends the child that waits, and frees the model.
    public func unload() async { await pool.unload() }

    public func synthesize(_ request: SpeechRequest) -> SpeechChunks {
        SpeechChunks(capacity: 1) { emit in
            guard let name = request.voice ?? references.keys.min(), let prompt = references[name] else {
                throw SynthesisError(
                    .unknownVoice, "there is no voice \"\(request.voice ?? "")\"; the voices are \(references.keys.sorted().joined(separator: ", "))")
            }
            let pieces = Self.pieces(of: request.text)
            guard pieces.isEmpty == false else { throw SynthesisError(.nothingToSay, "the text holds nothing that can be said") }
            let speed = request.speed.isFinite ? min(max(request.speed, 0.5), 2) : 1
            do {
                var connection = try await pool.take()
                for piece in pieces {
                    let samples: [Float]
                    do {
                        samples = try await speak(piece, prompt, speed: speed, connection)
                    } catch let error as SherpaHostError where error.code == .ended || error.code == .timedOut {
                        // The child died over this sentence; once more in another one.
                        connection = try await pool.take()
                        samples = try await speak(piece, prompt, speed: speed, connection)
                    }
                    try await emit(SpeechChunk(audio: AudioBuffer(samples: samples, sampleRate: sampleRate), text: piece))
                }
                nonisolated(unsafe) let given = connection  // Nobody else holds it any more.
                await unsafe pool.put(given)
            } catch let error as SherpaHostError {
                throw SynthesisError(error)
            }
        }
    }

    /// Sentences, long ones cut at their commas.
    static func pieces(of text: String) -> [String] {
        SentenceSplitter.sentences(text).flatMap { sentence -> [String] in
            guard sentence.count > longestPiece else { return [sentence] }
            var pieces: [String] = []
            for clause in sentence.split(separator: ",") {
                if let last = pieces.last, last.count + clause.count < longestPiece {
                    pieces[pieces.count - 1] = last + "," + clause
                } else {
                    pieces.append(String(clause))
                }
            }
            return pieces
        }.filter { $0.contains { $0.isLetter || $0.isNumber } }
    }

    /// One piece, checked, made again once when it is wrong.
    private func speak(_ text: String, _ prompt: ReferencePrompt, speed: Double, _ connection: SherpaConnection) async throws -> [Float] {
        let spoken = SpokenForm.spoken(plain: text)
        let isShort = spoken.count { $0.isLetter || $0.isNumber } < Self.shortText
        let words = try await encoded(spoken)
        let reference = try await encoded(prompt.words)
        // Marks at both ends give the first and the last sound room.
        let (padding, end) = (words.padding, words.end)
        let tokens = isShort ? padding + words.tokens + end + padding : words.tokens
        let check = SpokenCheck(prompt)
        var fault: String?
        for pace in [1, Self.secondPace] {
            let actual = speed * pace * (isShort ? Self.shortTextPace : 1)
            let speech = SherpaSpeech(
                text: spoken, referenceText: prompt.words, referenceRate: prompt.audio.sampleRate, speed: Float(actual), steps: Self.steps,
                tokens: tokens, referenceTokens: reference.tokens)
            let samples = Self.trimmed(try await make(speech, prompt, connection))
            guard samples.isEmpty == false else {
                fault = "it is silent"
                continue
            }
            fault = check.fault(seconds: Double(samples.count) / Double(sampleRate), text: spoken, speed: actual, isPadded: isShort)
            if fault == nil, let listen {
                fault = check.fault(heard: try await listen(AudioBuffer(samples: samples, sampleRate: sampleRate)), text: spoken)
            }
            if fault == nil { return samples }
        }
        throw SynthesisError(.engineFailed, "the model said \"\(text)\" wrongly twice: \(fault ?? ""). Another reference may do better")
    }

    private func make(_ speech: SherpaSpeech, _ prompt: ReferencePrompt, _ connection: SherpaConnection) async throws -> [Float] {
        guard connection.loaded.sampleRate == sampleRate else {
            throw SynthesisError(.modelNotLoaded, "the model speaks at \(connection.loaded.sampleRate) Hz; ZipVoice has \(sampleRate)")
        }
        let deadline = configuration.stepDeadline
        return try await budget.withThreads(.speech, wish: configuration.threads) { _ in
            var samples: [Float] = []
            _ = try await connection.ask(.reference, samples: prompt.audio.samples, deadline: deadline)
            _ = try await connection.ask(.synthesize, json: speech, deadline: deadline) { frame in
                do { samples += try frame.samples() } catch {
                    throw SherpaHostError(.malformedAnswer, "the speech that came cannot be understood: \(error)", cause: error)
                }
            }
            return samples
        }
    }

    private func encoded(_ text: String) async throws -> (tokens: [String], padding: [String], end: [String]) {
        let phonemes: String
        do { phonemes = try await phonemizer.phonemes(of: text) } catch let error as PhonemeError {
            throw SynthesisError(.phonemesFailed, error.message, cause: error)
        }
        let found = tokens.tokens(of: phonemes)
        guard found.missing.isEmpty, found.tokens.isEmpty == false else {
            throw SynthesisError(
                .phonemesFailed,
                "the model has no token for \(Set(found.missing).sorted().joined(separator: " ")) in \"\(text)\"; it was made for other sounds")
        }
        return (found.tokens, tokens.tokens(of: ", ").tokens, tokens.tokens(of: ".").tokens)
    }

    /// The samples without silence at the ends, but for a twentieth of a second.
    private static func trimmed(_ samples: [Float]) -> [Float] {
        guard let first = samples.firstIndex(where: { abs($0) > silence }), let last = samples.lastIndex(where: { abs($0) > silence }) else {
            return []
        }
        return Array(samples[max(0, first - 1200)..<min(samples.count, last + 1200)])
    }
}

extension SynthesisError {
    init(_ error: SherpaHostError) {
        let code: Code =
            switch error.code {
            case .notStarted, .modelRefused: .modelNotLoaded
            case .ended, .timedOut, .malformedAnswer, .failed: .engineFailed
            }
        self.init(code, error.message, cause: error)
    }
}
