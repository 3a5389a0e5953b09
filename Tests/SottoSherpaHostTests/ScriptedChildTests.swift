import Foundation
import SottoAudio
import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines
import SottoStreams
import Synchronization
import Testing

@testable import SottoSherpaHost

/// A child that does what a library full of exits, crashes and hangs may do.
@Suite(.serialized) struct ScriptedChildTests {
    private func hear(_ configuration: SherpaConfiguration, seconds: Int = 3) async throws -> [Transcript] {
        let recognizer = try Setting.recognizer(try Setting.model("tones"), configuration)
        let audio = (0..<seconds).map { _ in AudioBuffer(samples: Setting.tone(300, 1), sampleRate: 16_000) }
        return try await recognizer.transcribe(AudioStream { emit in for buffer in audio { try await emit(buffer) } }).finals()
    }

    private func failure(_ mode: String, step: Duration = .seconds(60)) async -> RecognitionError? {
        do {
            _ = try await hear(Setting.scripted(mode, step: step))
            return nil
        } catch {
            return error as? RecognitionError
        }
    }

    @Test("a child that behaves is heard out")
    func good() async throws {
        #expect(try await hear(Setting.scripted("good")).map(\.text) == ["48000 samples"])
    }

    @Test("a model over which the library ends its process is an error with the library's last line")
    func exitAtLoad() async throws {
        let error = try #require(await failure("exit-load"))
        #expect(error.code == .modelNotLoaded)
        #expect(error.message.contains("'vocab_size' does not exist in the metadata"))
        #expect(error.message.contains("status 255"))
    }

    @Test(
        "answers that nobody can understand are errors, each of its kind",
        arguments: [
            "old", "no-rate", "garbage", "unknown-kind", "wrong-request", "cut-short", "bad-json", "refuse",
        ])
    func malformed(mode: String) async throws {
        let error = try #require(await failure(mode))
        #expect(error.message.isEmpty == false)
        if mode == "refuse" { #expect(error.message == "the scripted child will not") }
    }

    @Test("a program that is not there is an error that says so")
    func missing() async throws {
        let configuration = SherpaConfiguration(program: "/nowhere/sotto-sherpa-host", arguments: [])
        let error = await #expect(throws: RecognitionError.self) { try await hear(configuration) }
        #expect(error?.code == .modelNotLoaded)
        #expect(throws: SherpaHostError.self) { try SherpaConfiguration.locate(executable: "/opt/bin/sotto") { _ in false } }
        let found = try SherpaConfiguration.locate(executable: "/opt/bin/sotto") { $0.contains("/lib/sherpa/") || $0 == "/opt/bin/sotto-sherpa-host" }
        #expect(found.arguments == ["/opt/bin/../lib/sherpa"])
    }

    @Test("a crash in the middle of an utterance loses nothing: another child hears it from its start")
    func crashOnce() async throws {
        let marker = Setting.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: marker) }
        let heard = try await hear(Setting.scripted("crash-feed", marker: marker))
        #expect(FileManager.default.fileExists(atPath: marker), "the first child was to crash")
        #expect(heard.map(\.text) == ["48000 samples"])
    }

    @Test("a child that crashes again over the same sound is an error, with the signal")
    func crashAlways() async throws {
        let error = try #require(await failure("crash-feed"))
        #expect(error.code == .engineFailed)
        #expect(error.message.contains("signal 11"))
    }

    @Test("a child that hangs is killed at the deadline, and another one goes on")
    func hang() async throws {
        let marker = Setting.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: marker) }
        #expect(try await hear(Setting.scripted("hang-feed", marker: marker, step: .milliseconds(300))).map(\.text) == ["48000 samples"])
        let error = try #require(await failure("hang-feed", step: .milliseconds(200)))
        #expect(error.message.contains("in time"))
    }

    @Test("a model that is never loaded is given up")
    func hangAtLoad() async throws {
        var configuration = Setting.scripted("hang-load")
        configuration.loadDeadline = .milliseconds(300)
        let error = await #expect(throws: RecognitionError.self) { try await hear(configuration) }
        #expect(error?.code == .engineFailed)
    }

    /// Begins speech in a child and cancels once the first piece is there.
    private func cancelSpeech(_ configuration: SherpaConfiguration) async throws -> (Int32, any Error) {
        let began = AsyncStream.makeStream(of: Int32.self)
        let task = Task {
            let connection = try await SherpaConnection.open(SherpaLoad(model: try Setting.model("speaker").model), configuration)
            _ = try await connection.ask(.synthesize, json: SherpaSpeech(text: "hello"), deadline: .seconds(60)) { _ in
                began.continuation.yield(connection.processID)
            }
        }
        var iterator = began.stream.makeAsyncIterator()
        let process = try #require(await iterator.next())
        task.cancel()
        let error = await #expect(throws: (any Error).self) { try await task.value }
        return (process, try #require(error))
    }

    @Test("a cancel reaches a child at work, which stops by itself")
    func cancel() async throws {
        let marker = Setting.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: marker) }
        let (_, error) = try await cancelSpeech(Setting.scripted("speak-polite", marker: marker))
        #expect(error is CancellationError)
        #expect(FileManager.default.fileExists(atPath: marker), "the child was to notice the cancel")
    }

    @Test("a child that does not heed a cancel is killed")
    func cancelStubborn() async throws {
        let (process, error) = try await cancelSpeech(Setting.scripted("speak-stubborn", grace: .milliseconds(100)))
        #expect(error is CancellationError)
        #expect(kill(process, 0) == -1, "the child is gone, and reaped")
    }

    @Test("speech that is no sound is an error")
    func notANumber() async throws {
        let connection = try await SherpaConnection.open(SherpaLoad(model: try Setting.model("speaker").model), Setting.scripted("speak-nan"))
        await #expect(throws: (any Error).self) {
            _ = try await connection.ask(.synthesize, json: SherpaSpeech(text: "hello"), deadline: .seconds(60)) { _ = try $0.samples() }
        }
    }
}
