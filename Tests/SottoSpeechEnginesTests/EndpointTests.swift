import Foundation
import SottoSpeechEngines
import Testing

@Suite struct EndpointRulesTests {
    private let rules = EndpointRules()

    @Test("each rule holds from its time on", arguments: [
        (2399, nil, nil), (2400, nil, .nothingSaid), (5000, 4101, nil), (5000, 4100, .silence), (29_999, 29_900, nil), (30_000, 29_900, .tooLong),
        (30_000, 100, .silence),
    ] as [(Int, Int?, EndpointRules.End?)])
    func times(heard: Int, last: Int?, end: EndpointRules.End?) {
        #expect(rules.end(heard: .milliseconds(heard), lastSpeech: last.map { .milliseconds($0) }) == end)
    }

    @Test("a rule that is off never holds")
    func off() {
        let rules = EndpointRules(nothingSaid: nil, afterSpeech: nil, longest: nil)
        #expect(rules.end(heard: .seconds(86_400), lastSpeech: nil) == nil)
        #expect(rules.end(heard: .seconds(86_400), lastSpeech: .zero) == nil)
    }
}

@Suite struct EndpointDetectorTests {
    private func events(_ probabilities: [Float]) -> [(Int, EndpointDetector.Event)] {
        var detector = EndpointDetector()
        return probabilities.enumerated().flatMap { frame, probability in detector.observe(probability).map { (frame, $0) } }
    }

    private func run(_ probability: Float, _ count: Int) -> [Float] { [Float](repeating: probability, count: count) }

    @Test("silence ends after 2.4 s, again and again")
    func silence() {
        let found = events(run(0, 225))
        // 75 frames of 32 ms.
        #expect(found.map(\.0) == [74, 149, 224])
        #expect(found.allSatisfy { $0.1 == .ended(.nothingSaid) })
    }

    @Test("speech begins with its padding, pauses, and ends 0.9 s after its last frame")
    func speech() {
        let found = events(run(0, 30) + run(0.9, 50) + run(0, 40))
        #expect(found.map(\.1) == [.speechBegan(frame: 20), .speechPaused(frame: 79), .ended(.silence)])
        // The third certain frame; 19 frames of pause; 28.125 frames are 0.9 s.
        #expect(found.map(\.0) == [32, 98, 108])
    }

    @Test("hysteresis: probabilities that flutter about the onset are one stretch")
    func flutter() {
        let flutter = (0..<60).map { Float($0 % 2 == 0 ? 0.8 : 0.36) }
        let found = events(run(0, 10) + flutter + run(0, 40))
        #expect(found.count { if case .speechBegan = $0.1 { true } else { false } } == 1)
        #expect(found.last?.1 == .ended(.silence))
    }

    @Test("who speaks on for longer than 30 s is cut, and nothing is taken for a new beginning")
    func long() {
        let found = events(run(0.9, 2000))
        #expect(found.filter { $0.1 == .ended(.tooLong) }.map(\.0) == [937, 1875])
        #expect(found.count { if case .speechBegan = $0.1 { true } else { false } } == 1)
        #expect(found.contains { $0.1 == .ended(.silence) || $0.1 == .ended(.nothingSaid) } == false)
    }

    @Test("a click is nothing said")
    func click() { #expect(events(run(0, 10) + run(0.95, 2) + run(0, 70)).map(\.1) == [.ended(.nothingSaid)]) }
}

@Suite struct NoiseFloorTests {
    @Test("a level is the mean power in decibels of full scale")
    func level() {
        let sine = (0..<16_000).map { Float(sin(Double($0) * 2 * .pi * 440 / 16_000)) }
        #expect(abs(NoiseFloor.level(of: sine[...]) + 3.01) < 0.01)
        #expect(abs(NoiseFloor.level(of: sine.map { $0 / 100 }[...]) + 43.01) < 0.01)
        #expect(NoiseFloor.level(of: []) == -100)
        #expect(NoiseFloor.level(of: [0, 0, 0]) == -100)
    }

    @Test("speech does not lift the floor, a louder room does, a quieter one lowers it at once")
    func follows() throws {
        var floor = NoiseFloor()
        for _ in 0..<100 { floor.observe(-60, isSpeech: false) }
        #expect(try #require(floor.level) == -60)
        // Ten seconds of speech with its valleys.
        for frame in 0..<312 { floor.observe(frame % 10 < 7 ? -25 : -58, isSpeech: true) }
        #expect(try #require(floor.level) < -50)
        for _ in 0..<312 { floor.observe(-40, isSpeech: false) }
        #expect(abs(try #require(floor.level) + 40) < 0.5)
        for _ in 0..<10 { floor.observe(-60, isSpeech: false) }
        #expect(abs(try #require(floor.level) + 60) < 1)
    }

    @Test func notNumbers() {
        var floor = NoiseFloor()
        floor.observe(.nan, isSpeech: false)
        #expect(floor.level == nil)
        floor.observe(-.infinity, isSpeech: false)
        #expect(floor.level == nil)
    }
}
