public import SottoAudio
internal import SottoComputeBudget
public import SottoSpeechEngines
internal import SottoStreams

extension KokoroSynthesizer: StyleSynthesizing {
    public var styleWidth: Int { VoiceFile.styleWidth }

    public var stockStyles: [StockStyle] {
        styles.names.compactMap { name in styles.offset(of: name).map { StockStyle(name: name, style: $0) } }
    }

    /// Nothing of it is kept in the cache.
    public func speech(of sentence: String, style: [Float]) async throws -> AudioBuffer {
        precondition(style.count == VoiceFile.styleWidth, "a style has \(VoiceFile.styleWidth) values")
        guard let tokens = try await inputs(for: sentence, phonemes: phonemes(of: sentence)).first else {
            throw SynthesisError(.nothingToSay, "the sentence holds nothing that can be said")
        }
        let row = styles.style(offset: style, tokens: tokens.count)
        let samples = try await budget.withThreads(.background, wish: configuration.threads) { threads in
            try await withCancellationFlag { flag in
                try await model.run(tokens: tokens, style: row, speed: 1, threads: threads, cancellation: flag)
            }
        }
        if let fault = SpeechShaping.fault(in: samples, tokens: tokens.count, speed: 1, sampleRate: sampleRate) {
            throw SynthesisError(.engineFailed, "this style gives \(fault)")
        }
        return AudioBuffer(samples: SpeechShaping.shaped(samples, sampleRate: sampleRate), sampleRate: sampleRate)
    }
}
