import Foundation
import SottoAudio
import SottoSpeechEngines
import Testing

@testable import SottoVoices

@Suite struct EnrolmentTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let words = "The quick brown fox jumps over the lazy dog."

    /// Eight seconds that ``SampleQuality`` finds good, with a voice that ``ScriptedEncoder`` hears.
    private static func recording(of style: [Float], level: Float = 0.2) -> AudioBuffer {
        var samples = (0..<128_000).map { index -> Float in
            let isSpeech = index % 16_000 < 14_000
            return isSpeech ? level * Float(sin(Double(index) * 0.05)) : 0
        }
        samples.replaceSubrange(0..<style.count, with: style)
        return AudioBuffer(samples: samples, sampleRate: 16_000)
    }

    private static let anna: [Float] = (0..<12).map { $0 == 1 ? 0.9 : 0.1 }
    private static let other: [Float] = (0..<12).map { $0 == 7 ? 3 : -0.5 }
    private static let asked = ConsentSentence(voice: "anna", number: 4072, made: now)

    private static func check(
        name: String = "anna", sample: AudioBuffer = recording(of: anna), words: String? = words, consent: AudioBuffer = recording(of: anna),
        hears: String = words, hearsConsent: String = asked.text, now: Date = now
    ) async throws -> EnrolledVoice {
        try await VoiceEnrolment(encoder: ScriptedEncoder(), recognizer: ScriptedEars(hears, hearsConsent)).check(
            name: name, sample: sample, words: words, consent: consent, asked: asked, now: now)
    }

    @Test("a good sample and the same person's consent make a voice")
    func good() async throws {
        let voice = try await Self.check()
        #expect(voice.name == "anna" && voice.words == Self.words && voice.state == .added && voice.style == nil)
        #expect(voice.consent.sentence == Self.asked.text && voice.consent.likeness > 0.99)
        #expect(try await Self.check(words: nil).words == Self.words)
    }

    @Test("what is wrong is refused, and it is said why")
    func refusals() async throws {
        func code(_ body: () async throws -> EnrolledVoice) async -> VoiceError.Code? {
            do {
                _ = try await body()
                return nil
            } catch { return (error as? VoiceError)?.code }
        }
        #expect(await code { try await Self.check(name: "../etc") } == .name)
        #expect(await code { try await Self.check(name: "berta") } == .consent)
        #expect(await code { try await Self.check(sample: Self.recording(of: [], level: 0.001)) } == .sample)
        #expect(await code { try await Self.check(sample: AudioBuffer(samples: [], sampleRate: 16_000)) } == .sample)
        #expect(await code { try await Self.check(hears: "other words were read here, many of them") } == .sample)
        #expect(await code { try await Self.check(words: nil, hears: "") } == .sample)
        #expect(await code { try await Self.check(hearsConsent: "I allow nothing") } == .consent)
        #expect(await code { try await Self.check(hearsConsent: "") } == .consent)
        #expect(await code { try await Self.check(now: Self.now.addingTimeInterval(100_000)) } == .consent)
        // Somebody else's consent.
        #expect(await code { try await Self.check(consent: Self.recording(of: Self.other)) } == .consent)
        #expect(await code { try await Self.check(consent: AudioBuffer(samples: [0], sampleRate: 16_000)) } == .consent)
    }

    @Test("names are what a folder and a command line take", arguments: [
        ("anna", true), ("Anna-2_b", true), ("", false), ("2anna", false), ("an na", false), ("änna", false), ("a/b", false), ("-a", false), ("..", false),
        (String(repeating: "a", count: 41), false), ("a\u{0}b", false),
    ])
    func names(name: String, isGood: Bool) {
        if isGood {
            #expect(throws: Never.self) { try EnrolledVoice.check(name: name) }
        } else {
            #expect(throws: VoiceError.self) { try EnrolledVoice.check(name: name) }
        }
    }

    // MARK: The folder

    private static func withFolder(_ body: (VoiceFolder) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sotto-voices-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(VoiceFolder(path: path))
    }

    @Test("keeps a voice for its owner alone, under one name once, and deletes all of it")
    func folder() async throws {
        try await Self.withFolder { folder in
            #expect(folder.voices() == [])
            #expect(throws: VoiceError.self) { try folder.voice(named: "anna") }
            var voice = try await Self.check()
            try folder.add(voice, sample: Data([1, 2]), consent: Data([3]))
            #expect(try folder.voice(named: "anna") == voice)
            for file in ["voice.json", "sample.wav", "consent.wav"] {
                let mode = try FileManager.default.attributesOfItem(atPath: folder.folder(of: voice) + "/" + file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
            var twin = voice
            twin.id = UUID()
            #expect(throws: VoiceError.self) { try folder.add(twin, sample: Data(), consent: Data()) }
            #expect(folder.voices() == [voice])

            voice.style = .init(values: [1, 2], likeness: 0.7, tries: 3)
            try folder.update(voice)
            #expect(try folder.voice(named: "anna").style?.likeness == 0.7)
            try folder.remove(voice)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            // What was removed does not come back.
            #expect(throws: VoiceError.self) { try folder.update(voice) }
            #expect(folder.voices() == [])
        }
    }

    @Test("what is damaged is named and left out; what an interruption left is swept")
    func damage() async throws {
        try await Self.withFolder { folder in
            let voice = try await Self.check()
            try folder.add(voice, sample: Data(), consent: Data())
            let broken = folder.path + "/" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: broken, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: folder.path + "/.adding-" + UUID().uuidString, withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: URL(filePath: broken + "/voice.json"))
            var told: [String] = []
            #expect(folder.voices { told.append($0) } == [voice])
            #expect(told.count == 1)
            folder.sweep()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") } == [])
        }
    }

    @Test("a consent sentence is kept until it is used, and a new one takes the place of the old")
    func consents() async throws {
        try await Self.withFolder { folder in
            #expect(folder.askedSentence(for: "anna") == nil)
            try folder.ask(Self.asked)
            try folder.ask(ConsentSentence(voice: "berta", number: 1111, made: Self.now))
            #expect(folder.askedSentence(for: "anna") == Self.asked)
            try folder.ask(ConsentSentence(voice: "anna", number: 2222, made: Self.now))
            #expect(folder.askedSentence(for: "anna")?.number == 2222)
            try folder.forgetSentence(for: "anna")
            #expect(folder.askedSentence(for: "anna") == nil && folder.askedSentence(for: "berta")?.number == 1111)
        }
    }
}
