import Foundation
import SottoAudio
import SottoPlayback
import SottoSpeechEngines
import SottoStreams
import SottoSubprocess
import SottoTestSupport
import Testing

private let hasSoundServer = ["pulseaudio", "parec", "pactl"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) }

/// A PulseAudio of the test's own, whose only output is heard by nobody.
private final class QuietSoundServer {
    private let server: SoundServer
    var address: String { server.address }

    init() async throws {
        server = try SoundServer(modules: ["module-null-sink sink_name=quiet rate=24000"])
        try await server.ready()
    }

    deinit { server.remove() }

    /// Everything that is played, from now until the task is cancelled or so many bytes have come.
    func recorder(bytes: Int) throws -> Coprocess {
        try Coprocess(
            .init(
                "parec", ["-d", "quiet.monitor", "--rate=24000", "--channels=1", "--format=s16le", "--latency-msec=20"],
                environment: ["HOME": server.folder, "PULSE_SERVER": address]))
    }
}

@Suite(.serialized, .enabled(if: hasSoundServer, "needs pulseaudio and pulseaudio-utils"))
struct SpeechPlayerTests {
    private func tone(_ hertz: Double, seconds: Double) -> [Float] {
        let step = hertz * 2 * Double.pi / 24_000
        return (0..<Int(seconds * 24_000)).map { index -> Float in Float(sin(Double(index) * step)) * 0.5 }
    }

    private func chunks(_ texts: [String], seconds: Double) -> SpeechChunks {
        SpeechChunks { emit in
            for text in texts { try await emit(SpeechChunk(audio: AudioBuffer(samples: tone(440, seconds: seconds), sampleRate: 24_000), text: text)) }
        }
    }

    @Test("what is played is what was made, without a gap, and each sentence is told of")
    func plays() async throws {
        let server = try await QuietSoundServer()
        // The recorder hears silence until we play; it is asked for more than we play.
        let recorder = try server.recorder(bytes: 0)
        var heardFirst: [UInt8] = []
        heardFirst = try await recorder.exchange([], limit: 1 << 24, deadline: .seconds(60)) { $0.count > 4800 }
        let player = SpeechPlayer(sampleRate: 24_000, server: server.address)
        let told = Channel<String>(capacity: 10)
        async let recording = recorder.exchange([], limit: 1 << 24, deadline: .seconds(120)) { bytes in
            // A second of silence after the last sound.
            let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
            guard let last = samples.lastIndex(where: { abs(Int($0)) > 300 }) else { return false }
            return samples.count - last > 24_000
        }
        try await player.play(chunks(["one", "two", "three"], seconds: 0.5)) { _, text in
            Task { try await told.send(text) }
        }
        var texts: Set<String> = []
        for _ in 0..<3 { texts.insert(try #require(try await told.next())) }
        #expect(texts == ["one", "two", "three"])
        let bytes = heardFirst + (try await recording)
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
        let loud = samples.indices.filter { abs(Int(samples[$0])) > 300 }
        // Whole periods of the tone were heard; a busy machine may stretch it, never shorten it.
        #expect(loud.count > 30_000)
        #expect(try #require(loud.last) - (try #require(loud.first)) >= 35_500)
    }

    @Test("cancelling stops at once, though much is left")
    func cancel() async throws {
        let server = try await QuietSoundServer()
        let player = SpeechPlayer(sampleRate: 24_000, server: server.address)
        let told = Channel<Void>(capacity: 10)
        let task = Task {
            try await player.play(chunks(["long"], seconds: 600)) { _, _ in Task { try await told.send(()) } }
        }
        _ = try await told.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("no sound server is a clear error")
    func noServer() async {
        let player = SpeechPlayer(sampleRate: 24_000, server: "unix:/no/such/socket")
        let error = await #expect(throws: PlaybackError.self) { try await player.play(chunks(["one"], seconds: 0.1)) }
        #expect(error?.code == .noSoundServer)
    }
}
