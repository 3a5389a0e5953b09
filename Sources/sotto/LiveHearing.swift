import SottoComputeBudget
import SottoSpeechEngines

/// Recognizes sound while it comes, and tells when the speaker has finished.
struct LiveHearing: Sendable {
    let engines: Engines
    let recognizer: ChosenRecognizer
    /// When silence ends it; `nil` never.
    let rules: EndpointRules?
    /// When a complete turn ends it; `nil` leaves it to the rules alone.
    let turns: TurnPolicy.Configuration?

    /// Hears everything; what was said last is flushed when the sound ends.
    ///
    /// - Parameters:
    ///   - sound: Samples at the recognizer's rate.
    ///   - taken: Told how many samples were taken in so far.
    ///   - speakerEnded: Told when the speaker has finished, more than once; the sound is the caller's to end.
    ///   - show: Told what is heard.
    /// - Returns: The finals.
    /// - Throws: ``RecognitionError``; what `show` and the sound throw; `CancellationError`.
    func run<Sound: AsyncSequence & Sendable>(
        _ sound: Sound, taken: @Sendable (Int) -> Void = { _ in }, speakerEnded: @Sendable () -> Void,
        show: @Sendable (TranscriptUpdate) async throws -> Void
    ) async throws -> [Transcript] where Sound.Element == [Float] {
        try await engines.budget.keepingCoreForHearing { try await hear(sound, taken, speakerEnded, show) }
    }

    private func hear<Sound: AsyncSequence & Sendable>(
        _ sound: Sound, _ taken: @Sendable (Int) -> Void, _ speakerEnded: @Sendable () -> Void,
        _ show: @Sendable (TranscriptUpdate) async throws -> Void
    ) async throws -> [Transcript] where Sound.Element == [Float] {
        var finals: [Transcript] = []
        var heard = 0
        // Only now, while the first words are being recorded: to load the network takes longer than to begin a sentence.
        let session = try await recognizer.makeSession(partials: true)
        let judge = turns == nil ? nil : try await engines.turnDetector()
        var turn = TurnPolicy(configuration: turns ?? .init())
        var newest: [Float] = []
        func take(_ updates: [TranscriptUpdate]) async throws {
            for update in updates {
                if case .final(let text) = update { finals.append(text) }
                try await show(update)
            }
        }
        for try await chunk in sound {
            heard += chunk.count
            try await take(try await session.accept(chunk))
            taken(heard)
            let lastSpeech = await session.lastSpeech.map { Duration.seconds($0) }
            let position = Duration.seconds(Double(heard) / Double(recognizer.sampleRate))
            if rules?.end(heard: position, lastSpeech: lastSpeech) != nil { speakerEnded() }
            guard let judge else { continue }
            newest += chunk
            if newest.count > 2 * judge.windowLength { newest.removeFirst(newest.count - judge.windowLength) }
            let pause = lastSpeech.map { position - $0 }
            if turn.observe(pause: pause) == .ask, let pause {
                turn.answer(try await judge.completion(of: Array(newest.suffix(judge.windowLength))), at: pause)
            }
            if case .ended = turn.observe(pause: pause) { speakerEnded() }
        }
        try await take(try await session.finish())
        return finals
    }
}
