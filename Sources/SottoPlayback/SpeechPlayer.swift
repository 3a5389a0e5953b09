internal import SottoAudio
public import SottoSpeechEngines
public import SottoStreams

/// Plays speech through the sound server while it is made, and obeys commands at once.
///
/// ```swift
/// let player = SpeechPlayer(sampleRate: 24_000)
/// try await player.play(chunks) { place, text in show(text) }
/// ```
/// Cancelling the task that plays drops what is not heard yet. Commands may come from anywhere meanwhile.
public actor SpeechPlayer {
    private static let step = 0.05
    private let output: SoundServerOutput
    private var state: PlaybackState
    private var speech: [[Float]] = []
    private var waiter: CheckedContinuation<Void, Never>?
    private var failure: (any Error)?

    /// - Parameters:
    ///   - sampleRate: Of the speech, in hertz.
    ///   - server: Address of a sound server, as `unix:/path`; the user's own when `nil`.
    public init(sampleRate: Int, server: String? = nil) {
        output = SoundServerOutput(sampleRate: sampleRate, server: server)
        state = PlaybackState(sampleRate: sampleRate)
    }

    /// Where the player is.
    public var place: PlaybackState.Place { state.place }
    public var isPlaying: Bool { state.isPlaying }

    /// Stops at once; what was given to the sound server and not yet heard is played again later.
    public func pause() async {
        state.pause()
        state.go(to: PlaybackState.Place(sentence: state.place.sentence, offset: max(0, state.place.offset - SoundServerOutput.ahead)))
        await output.stop()
    }

    public func resume() { command { $0.play() } }

    /// Goes forward or back by sentences.
    public func skip(_ count: Int) async {
        command { $0.skip(count) }
        await output.stop()
    }

    public func go(to place: PlaybackState.Place) async {
        command { $0.go(to: place) }
        await output.stop()
    }

    /// Plays all of the speech.
    ///
    /// - Parameter heard: Told of each sentence when its first sample goes to the output, with the place and the text.
    /// - Throws: ``PlaybackError``, what the speech throws, `CancellationError`.
    public func play(_ chunks: SpeechChunks, heard: @Sendable (PlaybackState.Place, String) -> Void = { _, _ in }) async throws {
        state.play()
        // Speech is made ahead of what is heard, so that it can be skipped through; its task ends with this call.
        let making = Task { [weak self] in
            do {
                for try await chunk in chunks { await self?.append(chunk) }
                await self?.finish(nil)
            } catch {
                await self?.finish(error)
            }
        }
        defer { making.cancel() }
        do {
            try await run(heard)
        } catch {
            await output.stop()
            throw error
        }
        if let failure { throw failure }
        try await output.drain()
    }

    private func run(_ heard: @Sendable (PlaybackState.Place, String) -> Void) async throws {
        var told = -1
        while true {
            try Task.checkCancellation()
            switch state.next(Int(Double(state.sampleRate) * Self.step)) {
            case .end: return
            case .wait: try await waitForNews()
            case .play(let piece):
                if told != piece.sentence, let text = state.text {
                    told = piece.sentence
                    heard(.init(sentence: piece.sentence), text)
                }
                try await output.play(speech[piece.sentence][piece.samples])
            }
        }
    }

    private func append(_ chunk: SpeechChunk) {
        speech.append(chunk.audio.samples)
        command { $0.append(sentence: chunk.text, samples: chunk.audio.samples.count) }
    }

    private func finish(_ error: (any Error)?) {
        failure = error
        command { $0.finish() }
    }

    private func command(_ change: (inout PlaybackState) -> Void) {
        change(&state)
        waiter?.resume()
        waiter = nil
    }

    private func waitForNews() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waiter = continuation }
            }
        } onCancel: {
            // Wakes the loop, which sees the cancellation.
            Task { await self.command { _ in } }
        }
    }
}
