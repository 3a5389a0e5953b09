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

    /// What one decode of a stretch gave, token by token.
    struct Decode: Sendable {
        /// Numbers in the vocabulary, without the end.
        var tokens: [HypothesisToken]
        /// Of all tokens and of the end, when the model came to it; 0 without any.
        var meanLogProbability: Float
        /// The text of all tokens.
        var text: String
        /// The tokens as text.
        var pieces: [Transcript.Token]
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
    /// - Parameters:
    ///   - samples: Mono at 16 kHz, at most some 30 s.
    ///   - committed: How the text begins, whatever the network thinks of it now: words that were shown as settled.
    ///   - draft: How it probably goes on: what an earlier decode of less audio gave. It costs one pass to check all of it, and what the
    ///     network would have chosen itself is kept.
    /// - Throws: ``RecognitionError`` `.engineFailed`; `CancellationError` within one operator of a cancel.
    func decode(_ samples: [Float], committed: [HypothesisToken] = [], draft: [Int] = []) async throws -> Decode {
        try await withCancellationFlag { flag in
            do {
                return try await decode(samples, committed: committed, draft: draft, options: ONNXRunOptions(cancellation: flag))
            } catch let error as ONNXRuntimeError {
                throw RecognitionError(.engineFailed, "speech recognition: \(error)", cause: error)
            }
        }
    }

    /// Tokens as text, and piece by piece.
    func text(of tokens: [HypothesisToken]) throws(RecognitionError) -> (text: String, pieces: [Transcript.Token]) {
        let tokenizer = try loadedTokenizer()
        let ids = tokens.map(\.id)
        return (tokenizer.text(of: ids), Self.pieces(ids, tokens.map(\.probability), tokenizer))
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

    private func decode(_ recorded: [Float], committed: [HypothesisToken], draft: [Int], options: ONNXRunOptions) async throws -> Decode {
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
        let limit = max(
            committed.count,
            Int((Double(recorded.count) / Double(Self.sampleRate) * Self.tokensPerSecond).rounded(.up)) + Self.spareTokens)
        var state = DecoderState(hidden: hidden, mask: mask, past: [], token: MoonshineTokenizer.beginning)
        let withoutCache = try ONNXValue([false], shape: [1])
        let withCache = try ONNXValue([true], shape: [1])
        var tokens: [Int] = []
        var probabilities: [Float] = []
        var isEnded = false
        if committed.isEmpty == false || draft.isEmpty == false {
            let known = committed.map(\.id) + draft.prefix(max(0, limit - committed.count))
            let choices = try await budget.withThreads(.hearing, wish: threads) { granted in
                try verify(known, isFree: committed.count, &state, networks(threads: min(granted, threads)), branch: withoutCache, options)
            }
            for (index, choice) in choices.enumerated() {
                // What is committed keeps the probability that it was committed with.
                isEnded = index >= committed.count && choice.token == MoonshineTokenizer.end
                probabilities.append(index < committed.count ? committed[index].probability : choice.probability)
                if isEnded == false { tokens.append(choice.token) }
            }
        }
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
        // A loop is cut, but never into what was shown as settled.
        let count = max(committed.count, isEnded ? tokens.count : repetition.kept(of: tokens))
        let kept = Array(tokens[..<count])
        let logs = probabilities[..<min(probabilities.count, count + (isEnded ? 1 : 0))].map { log(max($0, 1e-9)) }
        return Decode(
            tokens: zip(kept, probabilities).map { HypothesisToken(id: $0, probability: $1, startsWord: tokenizer.startsWord($0)) },
            meanLogProbability: logs.isEmpty ? 0 : logs.reduce(0, +) / Float(logs.count),
            text: tokenizer.text(of: kept), pieces: Self.pieces(kept, probabilities, tokenizer))
    }

    /// Runs the known beginning of a text through the decoder at once.
    ///
    /// One pass stands for all steps of a draft that holds; at the first token that the network would have chosen otherwise, its own choice
    /// ends the list. A near tie may fall otherwise than token by token: the 8-bit sums share one scale over a pass. Source of the idea: speculative decoding (arXiv 2211.17192), with an
    /// older hypothesis as the draft.
    ///
    /// - Parameters:
    ///   - known: Tokens after the beginning.
    ///   - isFree: Number of them that are taken unseen.
    /// - Returns: The tokens that hold, and the network's own next one, which may be the end.
    private func verify(
        _ known: [Int], isFree: Int, _ state: inout DecoderState, _ networks: Networks, branch: ONNXValue, _ options: ONNXRunOptions
    ) throws -> [TokenChoice] {
        let ids = [MoonshineTokenizer.beginning] + known
        let none = try ONNXValue([Float](), shape: [1, Self.heads, 0, Self.headSize])
        var inputs: [(name: String, value: ONNXValue)] = [
            ("input_ids", try ONNXValue(ids.map(Int64.init), shape: [1, ids.count])), ("encoder_hidden_states", state.hidden),
            ("encoder_attention_mask", state.mask), ("use_cache_branch", branch),
        ]
        for name in networks.pastNames { inputs.append((name, none)) }
        let outputs = try networks.decoder.run(inputs, outputs: ["logits"] + networks.presentNames, options: options)
        let choices = try outputs[0].withFloats { logits throws -> [TokenChoice] in
            guard logits.count == Self.vocabulary * ids.count else {
                throw RecognitionError(.engineFailed, "the model gave \(logits.count) values for \(ids.count) tokens")
            }
            var choices: [TokenChoice] = []
            for position in ids.indices {
                let row = logits.extracting((position * Self.vocabulary)..<((position + 1) * Self.vocabulary))
                if position < isFree {
                    choices.append(TokenChoice(token: known[position], probability: 1))
                    continue
                }
                let choice = TokenChoice(logits: row)
                choices.append(choice)
                if position >= known.count || choice.token != known[position] || choice.token == MoonshineTokenizer.end { break }
            }
            return choices
        }
        // The cache holds one entry for the beginning and each token before the last choice.
        state.past = Array(outputs[1...])
        if choices.count < ids.count {
            for index in networks.decoderPast { state.past[index] = try Self.shortened(state.past[index], to: choices.count) }
        }
        state.token = choices.last?.token ?? MoonshineTokenizer.end
        return choices
    }

    /// The first `length` entries of a cache [1, heads, entries, headSize].
    private static func shortened(_ cache: ONNXValue, to length: Int) throws -> ONNXValue {
        let entries = try cache.shape()[2]
        let kept = try cache.withFloats { all in
            var kept: [Float] = []
            kept.reserveCapacity(heads * length * headSize)
            for head in 0..<heads {
                for index in (head * entries * headSize)..<((head * entries + length) * headSize) { kept.append(all[index]) }
            }
            return kept
        }
        return try ONNXValue(kept, shape: [1, heads, length, headSize])
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
