import SottoPlayback
import Testing

@Suite struct PlaybackStateTests {
    /// Three sentences of 3, 1 and 2 seconds at 1000 Hz.
    private func state(whole: Bool = true) -> PlaybackState {
        var state = PlaybackState(sampleRate: 1000)
        for (text, samples) in [("one", 3000), ("two", 1000), ("three", 2000)] { state.append(sentence: text, samples: samples) }
        if whole { state.finish() }
        return state
    }

    private func played(_ state: inout PlaybackState, _ limit: Int) -> [PlaybackState.Piece] {
        var pieces: [PlaybackState.Piece] = []
        while case .play(let piece) = state.next(limit) { pieces.append(piece) }
        return pieces
    }

    @Test("every sample is played once and in order, whatever the steps", arguments: [1, 7, 500, 999, 10_000])
    func order(limit: Int) {
        var state = state()
        state.play()
        let pieces = played(&state, limit)
        for (sentence, count) in [3000, 1000, 2000].enumerated() {
            #expect(pieces.filter { $0.sentence == sentence }.flatMap { Array($0.samples) } == Array(0..<count))
        }
        #expect(pieces.map(\.sentence) == pieces.map(\.sentence).sorted())
        #expect(state.next(limit) == .end)
        #expect(state.elapsed == 6)
    }

    @Test("nothing is played before play, or while paused, and a pause loses nothing")
    func pauses() {
        var state = state()
        #expect(state.next(100) == .wait)
        state.play()
        #expect(state.next(1500) == .play(.init(sentence: 0, samples: 0..<1500)))
        state.pause()
        #expect(state.next(100) == .wait)
        #expect(state.place == .init(sentence: 0, offset: 1.5))
        state.play()
        #expect(state.next(5000) == .play(.init(sentence: 0, samples: 1500..<3000)))
    }

    @Test("back goes to the beginning of the sentence, or to the one before when it has just begun; forward to the next")
    func skips() {
        var state = state()
        state.play()
        _ = state.next(2500)
        state.skip(-1)
        #expect(state.place == .init(sentence: 0))
        state.skip(1)
        _ = state.next(100)
        #expect(state.text == "two")
        state.skip(-1)
        #expect(state.text == "one")
        state.skip(-5)
        #expect(state.place == .init(sentence: 0))
        state.skip(2)
        #expect(state.text == "three")
        state.skip(1)
        #expect(state.next(1) == .end)
        state.play()
        #expect(state.place == .init(sentence: 0))
    }

    @Test("while speech is still made the player waits at its end, and goes on when more comes")
    func streams() {
        var state = PlaybackState(sampleRate: 1000)
        state.play()
        #expect(state.next(10) == .wait)
        state.append(sentence: "one", samples: 10)
        #expect(state.next(10) == .play(.init(sentence: 0, samples: 0..<10)))
        #expect(state.next(10) == .wait)
        state.skip(1)
        #expect(state.next(10) == .wait)
        state.append(sentence: "two", samples: 5)
        #expect(state.next(10) == .play(.init(sentence: 1, samples: 0..<5)))
        state.finish()
        #expect(state.next(10) == .end)
        #expect(state.duration == 0.015)
    }

    @Test("a kept place is found again, and a wrong one becomes the nearest", arguments: [
        (PlaybackState.Place(sentence: 1, offset: 0.5), PlaybackState.Place(sentence: 1, offset: 0.5)),
        (.init(sentence: -1, offset: 1), .init(sentence: 0, offset: 1)), (.init(sentence: 9, offset: 1), .init(sentence: 3)),
        (.init(sentence: 2, offset: 99), .init(sentence: 2, offset: 2)), (.init(sentence: 2, offset: .nan), .init(sentence: 2)),
        (.init(sentence: 2, offset: -1), .init(sentence: 2)),
    ])
    func places(asked: PlaybackState.Place, got: PlaybackState.Place) {
        var state = state()
        state.go(to: asked)
        #expect(state.place == got)
    }

    @Test("sentences without samples are passed over")
    func empty() {
        var state = PlaybackState(sampleRate: 1000)
        state.append(sentence: "", samples: 0)
        state.append(sentence: "two", samples: 5)
        state.finish()
        state.play()
        #expect(state.next(10) == .play(.init(sentence: 1, samples: 0..<5)))
        #expect(state.next(10) == .end)
    }
}
