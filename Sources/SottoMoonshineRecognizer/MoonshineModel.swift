import Foundation
import SottoComputeBudget
import SottoONNXRuntime
import SottoSpeechEngines
import SottoStreams

/// The encoder and decoder networks with greedy decoding over a key/value cache.
///
/// Names and shapes: encoder `input_values` [1, samples] → `last_hidden_state` [1, frames, 288]; the merged decoder takes one token
/// a step. Its attention mask is over samples, not frames. In the cached branch its `present.*.encoder.*` are empty, so those
/// of the first step are kept.
actor MoonshineModel {
    static let sampleRate = 16_000
    /// The network was trained on longer audio and stutters on single short words ("two, two, two"): they get silence around them.
    private static let shortestAudio = 16_000
    /// Text tokens a second of audio at most. Source: the model's authors' own limit against endless repetition.
    private static let tokensPerSecond = 6.5
    /// Room for short utterances that are spoken fast.
    private static let spareTokens = 4
    private static let heads = 8
    private static let headSize = 36
    private static let vocabulary = 32_768

    /// The recognized text of one stretch, with each token's probability.
    struct Decode: Sendable {
        var text: String
        var tokens: [Transcript.Token]
        var meanLogProbability: Float
    }

    private let executor = BlockingExecutor(label: "sotto.moonshine")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let folder: String
    private let budget: ComputeBudget
    private var tokenizer: MoonshineTokenizer?
    /// Loaded when first needed, by number of threads. A session's threads are fixed, and one that was made for two runs slower on one core than a session
    /// for one; the second pair costs 45 MB and is loaded when two threads are first granted.
    private var networks: [Int: Networks] = [:]
    private let threads: Int
    private let repetition = RepetitionGuard()

    private struct Networks {
        let encoder: ONNXSession
        let decoder: ONNXSession
        let pastNames: [String]
        let presentNames: [String]
        let decoderPast: [Int]

        init(folder: String, threads: Int) throws(ONNXRuntimeError) {
            // Without spinning: it lost more than it gained in every pass but one while anything else ran (docs/recognition.md).
            let configuration = ONNXSession.Configuration(threads: threads)
            encoder = try ONNXSession(path: folder + "/encoder_model.ort", configuration: configuration)
            decoder = try ONNXSession(path: folder + "/decoder_model_merged.ort", configuration: configuration)
            pastNames = decoder.inputNames.filter { $0.hasPrefix("past_key_values.") }
            presentNames = pastNames.map { "present." + $0.dropFirst("past_key_values.".count) }
            decoderPast = pastNames.indices.filter { [pastNames] in pastNames[$0].contains(".decoder.") }
            let needed = [
                encoder.inputNames.contains("input_values"), encoder.inputNames.contains("attention_mask"),
                encoder.outputNames.contains("last_hidden_state"), decoder.inputNames.contains("input_ids"),
                decoder.inputNames.contains("encoder_hidden_states"), decoder.inputNames.contains("encoder_attention_mask"),
                decoder.inputNames.contains("use_cache_branch"), decoder.outputNames.contains("logits"), pastNames.isEmpty == false,
                Set(presentNames).isSubset(of: decoder.outputNames),
            ]
            guard needed.allSatisfy({ $0 }) else { throw ONNXRuntimeError(.modelNotLoaded, "\(folder) does not hold a Moonshine model") }
        }
    }

    /// Reads nothing yet.
    init(folder: String, budget: ComputeBudget, threads: Int) {
        self.folder = folder
        self.budget = budget
        self.threads = threads
    }

    /// Loads what a first decode needs, if it is not loaded.
    ///
    /// - Throws: ``RecognitionError`` `.modelNotLoaded`.
    func load() throws(RecognitionError) {
        _ = try loadedTokenizer()
        _ = try networks(threads: 1)
    }

    /// Forgets the networks and the vocabulary. A decode under way loads them again at its next step.
    func unload() {
        networks = [:]
        tokenizer = nil
    }

    var isLoaded: Bool { networks.isEmpty == false }

    private func loadedTokenizer() throws(RecognitionError) -> MoonshineTokenizer {
        if let tokenizer { return tokenizer }
        let path = folder + "/tokenizer.bin"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw RecognitionError(.modelNotLoaded, "there is no readable tokenizer at \(path); fetch it: sotto models pull")
        }
        let loaded = try MoonshineTokenizer(bytes: [UInt8](data), vocabulary: Self.vocabulary)
        tokenizer = loaded
        return loaded
    }

    /// Recognizes one stretch of speech.
    ///
    /// - Parameter samples: Mono at 16 kHz, at most some 30 s.
    /// - Throws: ``RecognitionError`` `.engineFailed`; `CancellationError` within one operator of a cancel.
    func decode(_ samples: [Float]) async throws -> Decode {
        try await withCancellationFlag { flag in
            do {
                return try await decode(samples, options: ONNXRunOptions(cancellation: flag))
            } catch let error as ONNXRuntimeError {
                throw RecognitionError(.engineFailed, "speech recognition: \(error)", cause: error)
            }
        }
    }

    private func networks(threads: Int) throws(RecognitionError) -> Networks {
        if let loaded = networks[threads] { return loaded }
        do throws(ONNXRuntimeError) {
            let loaded = try Networks(folder: folder, threads: threads)
            networks[threads] = loaded
            return loaded
        } catch {
            // A runtime of the wrong version names its own remedy; only files are mended by fetching them again.
            let remedy = error.code == .modelNotLoaded ? "; fetch it again: sotto models pull" : ""
            throw RecognitionError(.modelNotLoaded, "speech recognition: \(error)\(remedy)", cause: error)
        }
    }

    private func decode(_ recorded: [Float], options: ONNXRunOptions) async throws -> Decode {
        let tokenizer = try loadedTokenizer()
        let missing = max(0, Self.shortestAudio - recorded.count)
        let silence = [Float](repeating: 0, count: missing / 2)
        let samples = missing == 0 ? recorded : silence + recorded + silence
        let audio = try ONNXValue(samples, shape: [1, samples.count])
        let mask = try ONNXValue([Int64](repeating: 1, count: samples.count), shape: [1, samples.count])
        let hidden = try await budget.withThreads(.hearing, wish: threads) { granted in
            try networks(threads: min(granted, threads)).encoder.run(
                [("input_values", audio), ("attention_mask", mask)], outputs: ["last_hidden_state"], options: options)[0]
        }
        let limit = Int((Double(recorded.count) / Double(Self.sampleRate) * Self.tokensPerSecond).rounded(.up)) + Self.spareTokens
        var state = DecoderState(hidden: hidden, mask: mask, past: [], token: MoonshineTokenizer.beginning)
        let withoutCache = try ONNXValue([false], shape: [1])
        let withCache = try ONNXValue([true], shape: [1])
        var tokens: [Int] = []
        var probabilities: [Float] = []
        var isEnded = false
        while isEnded == false, tokens.count < limit, repetition.isHopeless(tokens) == false {
            // A grant spans a few steps: asking for every one would cost as much as a step's own bookkeeping.
            try await budget.withThreads(.hearing, wish: threads) { granted in
                let networks = try networks(threads: min(granted, threads))
                for _ in 0..<8 where isEnded == false && tokens.count < limit {
                    let choice = try step(&state, networks, branch: state.past.isEmpty ? withoutCache : withCache, options)
                    isEnded = choice.token == MoonshineTokenizer.end
                    // The end counts too: an unsure end is an unsure sentence. It has no text.
                    probabilities.append(choice.probability)
                    if isEnded == false { tokens.append(choice.token) }
                }
            }
        }
        let count = isEnded ? tokens.count : repetition.kept(of: tokens)
        let kept = Array(tokens[..<count])
        let logs = probabilities[..<min(probabilities.count, count + (isEnded ? 1 : 0))].map { log(max($0, 1e-9)) }
        return Decode(
            text: tokenizer.text(of: kept),
            tokens: Self.pieces(kept, probabilities, tokenizer),
            meanLogProbability: logs.isEmpty ? 0 : logs.reduce(0, +) / Float(logs.count))
    }

    private struct DecoderState {
        let hidden: ONNXValue
        let mask: ONNXValue
        /// In the order of `Networks.pastNames`; empty before the first step.
        var past: [ONNXValue]
        var token: Int
    }

    private func step(
        _ state: inout DecoderState, _ networks: Networks, branch: ONNXValue, _ options: ONNXRunOptions
    ) throws -> TokenChoice {
        let isFirst = state.past.isEmpty
        if isFirst {
            let none = try ONNXValue([Float](), shape: [1, Self.heads, 0, Self.headSize])
            state.past = [ONNXValue](repeating: none, count: networks.pastNames.count)
        }
        var inputs: [(name: String, value: ONNXValue)] = [
            ("input_ids", try ONNXValue([Int64(state.token)], shape: [1, 1])), ("encoder_hidden_states", state.hidden),
            ("encoder_attention_mask", state.mask), ("use_cache_branch", branch),
        ]
        for (name, value) in zip(networks.pastNames, state.past) { inputs.append((name, value)) }
        // The encoder's keys and values never change after the first step.
        let renewed = isFirst ? Array(networks.pastNames.indices) : networks.decoderPast
        let outputs = try networks.decoder.run(
            inputs, outputs: ["logits"] + renewed.map { networks.presentNames[$0] }, options: options)
        for (position, index) in renewed.enumerated() { state.past[index] = outputs[position + 1] }
        let choice = try outputs[0].withFloats { logits throws -> TokenChoice in
            guard logits.count == Self.vocabulary else {
                throw RecognitionError(.engineFailed, "the model gave \(logits.count) values for a vocabulary of \(Self.vocabulary)")
            }
            return TokenChoice(logits: logits)
        }
        state.token = choice.token
        return choice
    }

    /// Tokens as text; those that hold parts of one character are joined to the first of them.
    private static func pieces(_ tokens: [Int], _ probabilities: [Float], _ tokenizer: MoonshineTokenizer) -> [Transcript.Token] {
        var pieces: [Transcript.Token] = []
        var waiting: [UInt8] = []
        var lowest: Float = 1
        for (token, probability) in zip(tokens, probabilities) {
            waiting += tokenizer.bytes(of: token)
            lowest = min(lowest, probability)
            if let text = String(validating: waiting, as: UTF8.self) {
                if text.isEmpty == false { pieces.append(Transcript.Token(text: text, probability: lowest)) }
                waiting = []
                lowest = 1
            }
        }
        if waiting.isEmpty == false { pieces.append(Transcript.Token(text: String(decoding: waiting, as: UTF8.self), probability: lowest)) }
        return pieces
    }
}
