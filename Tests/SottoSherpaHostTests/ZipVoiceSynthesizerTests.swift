import Foundation
import SottoAudio
import SottoComputeBudget
import SottoSpeechEngines
import SottoStreams
import Synchronization
import Testing

@testable import SottoSherpaHost

/// ZipVoice's path through the real library, with networks of its shape that make a tone: nothing is said of how the real one sounds.
@Suite(
    .serialized,
    .enabled(if: Setting.hasLibrary && FileManager.default.isExecutableFile(atPath: "/usr/bin/espeak-ng"), "needs .runtime/lib/sherpa and espeak-ng"))
struct ZipVoiceSynthesizerTests {
    private static let words = "The quick brown fox jumps over the lazy dog."

    private func prompt() throws -> ReferencePrompt {
        // 35 letters in 7 s: the tone of these networks is as slow.
        try ReferencePrompt(
            audio: AudioBuffer(samples: Setting.tone(200, 7), sampleRate: 16_000), text: Self.words,
            heard: [Transcript(text: Self.words, start: 0, end: 7)])
    }

    /// - Parameter answers: What is heard in one piece after the other; `nil` is what was to be said.
    private func synthesizer(_ answers: [String?] = [], _ folder: String = "speaker", listens: Bool = true, said: String = "") throws
        -> ZipVoiceSynthesizer
    {
        let left = Holder(answers)
        let listen: (@Sendable (AudioBuffer) async throws -> String)? = listens ? { @Sendable _ in left.next() ?? said } : nil
        return try ZipVoiceSynthesizer(
            model: try Setting.model(folder), references: ["anna": try prompt()], listen: listen,
            budget: ComputeBudget(threads: 2), configuration: Setting.real)
    }

    private final class Holder: Sendable {
        private let answers: Mutex<[String?]>
        init(_ answers: [String?]) { self.answers = Mutex(answers) }
        func next() -> String? { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    private func speak(_ synthesizer: ZipVoiceSynthesizer, _ text: String, voice: String? = nil, speed: Double = 1) async throws -> [SpeechChunk] {
        var chunks: [SpeechChunk] = []
        for try await chunk in synthesizer.synthesize(SpeechRequest(text: text, voice: voice, speed: speed)) { chunks.append(chunk) }
        return chunks
    }

    @Test("a text is spoken sentence by sentence, as long as its sounds are many")
    func sentences() async throws {
        let chunks = try await speak(try synthesizer(listens: false), "Hello there, this is a test of a voice. It goes on for some time.")
        #expect(chunks.map(\.text) == ["Hello there, this is a test of a voice.", "It goes on for some time."])
        // 20 frames of 256 samples a token; espeak-ng has 41 characters of phonemes for the first sentence and 28 for the second.
        let tokens = chunks.map { ($0.audio.seconds * 24_000 / 5120).rounded() }
        #expect(tokens[0] > 1.2 * tokens[1] && tokens[1] > 15, "\(tokens)")
        #expect(chunks.allSatisfy { $0.audio.sampleRate == 24_000 && $0.audio.peak > 0.01 })
        let quick = try await speak(try synthesizer(listens: false), "It goes on for some time.", speed: 2)
        #expect(abs(quick[0].audio.seconds / chunks[1].audio.seconds - 0.5) < 0.05)
    }

    @Test("speech in which something else is heard is made once more, slower; then it is an error")
    func retry() async throws {
        let text = "It goes on for some time."
        let first = try await speak(try synthesizer(said: text), text)
        let second = try await speak(try synthesizer(["quick brown fox it goes on for some time"], said: text), text)
        #expect(abs(second[0].audio.seconds / first[0].audio.seconds - 1 / 0.85) < 0.03)
        let error = await #expect(throws: SynthesisError.self) {
            try await speak(try synthesizer(["brown fox jumps over", "the quick brown fox"], said: text), text)
        }
        #expect(error?.message.contains("words of the reference") == true)
    }

    @Test("a very short text gets room and time")
    func short() async throws {
        let yes = try await speak(try synthesizer(listens: false), "Yes.")
        // j ˈ ɛ s . are five tokens: about a second without the marks around and the slower pace.
        #expect(yes[0].audio.seconds > 1.6, "\(yes[0].audio.seconds)")
    }

    @Test("what cannot be spoken is said so")
    func errors() async throws {
        await #expect(throws: SynthesisError.self) { try await speak(try synthesizer(), "Hello there.", voice: "nobody") }
        await #expect(throws: SynthesisError.self) { try await speak(try synthesizer(), " … ") }
        #expect(throws: SynthesisError.self) { try synthesizer([], "tones") }
        #expect(throws: SherpaHostError.self) { try Setting.recognizer(try Setting.model("speaker"), Setting.real) }
        // Sounds that the model has no token for are an error, not left out: the library would be silent about them.
        let folder = Setting.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.copyItem(atPath: Setting.fixtures + "/speaker", toPath: folder)
        try Data("_ 0\nh 1\nə 2\nl 3\n".utf8).write(to: URL(fileURLWithPath: folder + "/tokens.txt"))
        let model = try SherpaModelFiles(folder: folder, names: FileManager.default.contentsOfDirectory(atPath: folder), metadata: ONNXMetadata.read)
        let poor = try ZipVoiceSynthesizer(
            model: model, references: ["anna": try prompt()], listen: nil, budget: ComputeBudget(threads: 1), configuration: Setting.real)
        let error = await #expect(throws: SynthesisError.self) { try await speak(poor, "Hello there.") }
        #expect(error?.code == .phonemesFailed)
    }

    @Test("a cancel ends it")
    func cancel() async throws {
        let synthesizer = try synthesizer(listens: false)
        let began = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for try await _ in synthesizer.synthesize(SpeechRequest(text: String(repeating: "It goes on for some time. ", count: 400))) {
                began.continuation.yield()
            }
        }
        var iterator = began.stream.makeAsyncIterator()
        await iterator.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("long sentences are cut at commas, and nothing is lost")
    func pieces() {
        let text = (0..<30).map { "clause number \($0) of it" }.joined(separator: ", ") + "."
        let pieces = ZipVoiceSynthesizer.pieces(of: text)
        #expect(pieces.count > 1 && pieces.allSatisfy { $0.count <= 230 })
        #expect(pieces.joined(separator: ",") == text)
    }
}
