import Foundation
import SottoComputeBudget
import SottoObservability
import SottoSpeechEngines
import SottoStreams

/// The Whisper network with greedy decoding, one stretch of speech at a time.
///
/// The encoder hears a stretch once; the language, whether anybody speaks, and the text all come from that. The library's own transcription would
/// hear it twice to find out the language, could not be given words that were shown as settled, and would keep the cores for all of it.
actor WhisperModel {
    static let sampleRate = 16_000
    /// Less than this is filled up with silence.
    private static let shortestAudio = 16_000
    /// The network's window.
    static let longestAudio = 30 * 16_000
    /// Tokens between two requests for threads.
    private static let stepTokens = 8

    /// What is wanted of a stretch.
    struct Request: Sendable {
        /// Mono at 16 kHz, at most 30 s.
        var samples: [Float]
        var language: LanguageChoice
        var translates = false
        /// How the text begins, whatever the network thinks of it now.
        var committed: [HypothesisToken] = []
        var hasTimestamps = true
    }

    private let executor = BlockingExecutor(label: "sotto.whisper")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let path: String
    private let budget: ComputeBudget
    private let threads: Int
    private let log: Log
    private let repetition = RepetitionGuard()
    /// A decode keeps the one state over several waits.
    private let turns = Turns()
    private var loaded: Loaded?

    private final class Loaded {
        let handle: WhisperHandle
        var logits: [Float]

        init(path: String) throws(RecognitionError) {
            handle = try WhisperHandle(path: path)
            logits = [Float](repeating: 0, count: handle.vocabulary.count)
        }
    }

    init(path: String, budget: ComputeBudget, threads: Int, log: Log) {
        self.path = path
        self.budget = budget
        self.threads = threads
        self.log = log
    }

    /// Loads the network if it is not loaded.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`.
    func load() throws(RecognitionError) { _ = try model() }

    /// Forgets the network; a decode under way keeps it until it ends.
    func unload() { loaded = nil }

    /// The languages that it knows.
    func languages() throws(RecognitionError) -> Set<String> { Set(try model().handle.vocabulary.control.languages.keys) }

    private func model() throws(RecognitionError) -> Loaded {
        if let loaded { return loaded }
        WhisperLog.start(log)
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw RecognitionError(.modelNotLoaded, "there is no readable Whisper model at \(path); fetch it: sotto models pull whisper-base")
        }
        let made = try Loaded(path: path)
        loaded = made
        return made
    }

    /// Recognizes one stretch of speech.
    ///
    /// - Throws: ``RecognitionError``; `CancellationError` within one pass of the encoder of a cancel.
    func decode(_ request: Request) async throws -> WhisperDecode {
        try await turns.withTurn {
            try await withCancellationFlag { flag in try await decode(request, flag) }
        }
    }

    private func decode(_ request: Request, _ flag: CancellationFlag) async throws -> WhisperDecode {
        let loaded = try model()
        let vocabulary = loaded.handle.vocabulary
        let control = vocabulary.control
        var samples = Array(request.samples.prefix(Self.longestAudio))
        if samples.count < Self.shortestAudio { samples += [Float](repeating: 0, count: Self.shortestAudio - samples.count) }
        let seconds = Double(request.samples.count) / Double(Self.sampleRate)
        func check() throws { if flag.isCancelled { throw CancellationError() } }

        // 1 Hearing.
        try await budget.withThreads(.hearing, wish: threads) { granted in
            try check()
            try loaded.handle.hear(samples, threads: granted)
            try loaded.handle.encode(threads: granted)
        }

        // 2 Whether anybody speaks, and in which language: both are asked of the very first token.
        var noSpeech: Float = 0
        var languages: [String: Float] = [:]
        try await budget.withThreads(.hearing, wish: threads) { granted in
            try check()
            try loaded.handle.decode([control.start], past: 0, threads: granted, into: &loaded.logits)
            noSpeech = Self.probability(of: control.noSpeech, in: loaded.logits)
            languages = Self.probabilities(control.languages, in: loaded.logits)
        }
        let language = request.language.preview(languages, seconds: seconds)
        guard let languageToken = control.languages[language.language] else {
            throw RecognitionError(.unsupportedLanguage, "Whisper does not know the language \"\(language.language)\"")
        }

        // 3 The text.
        var prompt = [languageToken, request.translates ? control.translate : control.transcribe]
        let hasTimestamps = request.hasTimestamps && request.committed.isEmpty
        if hasTimestamps == false { prompt.append(control.noTimestamps) }
        prompt += request.committed.map(\.id)
        let rules = WhisperRules(vocabulary, hasTimestamps: hasTimestamps, seconds: Double(samples.count) / Double(Self.sampleRate))
        // Half of the text's length, as Whisper's authors have it.
        let limit = loaded.handle.textLength / 2
        var written: [Int] = []
        var probabilities: [Float] = []
        var text = request.committed.map(\.id)
        var isEnded = false
        var past = 1
        var next = prompt
        while isEnded == false, written.count < limit, past + next.count < loaded.handle.textLength, repetition.isHopeless(text) == false {
            try await budget.withThreads(.hearing, wish: threads) { granted in
                for _ in 0..<Self.stepTokens where isEnded == false && written.count < limit && past + next.count < loaded.handle.textLength {
                    try check()
                    try loaded.handle.decode(next, past: past, threads: granted, into: &loaded.logits)
                    past += next.count
                    let token = rules.choose(&loaded.logits, after: written, isContinued: request.committed.isEmpty == false)
                    probabilities.append(token.probability)
                    isEnded = token.token == control.end
                    if isEnded == false {
                        written.append(token.token)
                        if vocabulary.isText(token.token) { text.append(token.token) }
                        next = [token.token]
                    }
                }
            }
        }
        let isCut = isEnded == false && repetition.kept(of: text) < text.count
        let kept = isEnded ? text.count : max(request.committed.count, repetition.kept(of: text))
        return Self.result(
            written: written, probabilities: probabilities, keeping: kept, request: request, seconds: seconds, noSpeech: noSpeech, language: language,
            languages: languages, isCut: isCut, vocabulary)
    }

    private static func result(
        written: [Int], probabilities: [Float], keeping kept: Int, request: Request, seconds: Double, noSpeech: Float, language: LanguageChoice.Choice,
        languages: [String: Float], isCut: Bool, _ vocabulary: WhisperVocabulary
    ) -> WhisperDecode {
        var tokens = request.committed
        var parts: [WhisperDecode.Part] = []
        var start: (token: Int, time: Double)?
        var textLogs: [Float] = []
        for (token, probability) in zip(written, probabilities) {
            if let time = vocabulary.time(of: token) {
                let time = min(time, seconds)
                if let begun = start, tokens.count > begun.token {
                    parts.append(.init(tokens: begun.token..<tokens.count, start: begun.time, end: max(time, begun.time)))
                    start = nil
                } else {
                    start = (tokens.count, time)
                }
            } else if tokens.count < kept {
                textLogs.append(Foundation.log(max(probability, 1e-9)))
                tokens.append(HypothesisToken(id: token, probability: probability, startsWord: vocabulary.startsWord(token, in: language.language)))
            }
        }
        // What was left open when the text ended.
        if let start, tokens.count > start.token { parts.append(.init(tokens: start.token..<tokens.count, start: start.time, end: seconds)) }
        // The end, where the network came to it, is the one choice more than there are tokens.
        if probabilities.count > written.count, let end = probabilities.last { textLogs.append(Foundation.log(max(end, 1e-9))) }
        return WhisperDecode(
            tokens: tokens, parts: parts, meanTextLogProbability: textLogs.isEmpty ? 0 : textLogs.reduce(0, +) / Float(textLogs.count), noSpeechProbability: noSpeech,
            language: language, languages: languages, text: vocabulary.text(of: tokens.map(\.id)), pieces: pieces(tokens, vocabulary), isCut: isCut)
    }

    /// Tokens as text.
    func text(of tokens: [HypothesisToken]) throws(RecognitionError) -> (text: String, pieces: [Transcript.Token]) {
        let vocabulary = try model().handle.vocabulary
        return (vocabulary.text(of: tokens.map(\.id)), Self.pieces(tokens, vocabulary))
    }

    /// Tokens as text; those that hold parts of one character are joined.
    static func pieces(_ tokens: [HypothesisToken], _ vocabulary: WhisperVocabulary) -> [Transcript.Token] {
        var pieces: [Transcript.Token] = []
        var waiting: [UInt8] = []
        var lowest: Float = 1
        for token in tokens {
            waiting += vocabulary.bytes(of: token.id)
            lowest = min(lowest, token.probability)
            if let text = String(validating: waiting, as: UTF8.self) {
                if text.isEmpty == false { pieces.append(Transcript.Token(text: text, probability: lowest)) }
                waiting = []
                lowest = 1
            }
        }
        if waiting.isEmpty == false { pieces.append(Transcript.Token(text: String(decoding: waiting, as: UTF8.self), probability: lowest)) }
        return pieces
    }

    /// The softmax of one value.
    private static func probability(of token: Int, in logits: [Float]) -> Float {
        let choice = TokenChoice(logits: logits.span)
        return choice.probability * exp(logits[token] - logits[choice.token])
    }

    private static func probabilities(_ tokens: [String: Int], in logits: [Float]) -> [String: Float] {
        let highest = tokens.values.map { logits[$0] }.max() ?? 0
        let shares = tokens.mapValues { exp(logits[$0] - highest) }
        let sum = shares.values.reduce(0, +)
        return shares.mapValues { $0 / sum }
    }
}
