import Foundation
import SottoAudio
import SottoAudioDevices
import SottoPulseAudio
import SottoStreams
import SottoSubprocess
import SottoTestSupport
import Synchronization
import Testing

/// What a recording gave so far, for tests that wait for it.
private actor Recorded {
    private(set) var samples: [Float] = []
    private(set) var flows: [AudioDevice] = []
    private(set) var interruptions = 0
    private var meter = LevelMeter(sampleRate: 16_000)
    private var failure: (any Error)?
    private var waiters: [(@Sendable (Snapshot) -> Bool, CheckedContinuation<Void, any Error>)] = []

    struct Snapshot: Sendable {
        var count: Int
        var flows: [AudioDevice]
        var interruptions: Int
        var isDead: Bool
        /// The loudest of the last tenth of a second.
        var recentPeak: Float
        /// The newest two samples in 16 bits.
        var ending: [Int16]
    }

    private var snapshot: Snapshot {
        Snapshot(
            count: samples.count, flows: flows, interruptions: interruptions, isDead: meter.isDead,
            recentPeak: samples.suffix(1600).reduce(0) { max($0, abs($1)) }, ending: samples.suffix(2).map { Int16(($0 * 32_768).rounded()) })
    }

    func take(_ event: CaptureEvent) {
        switch event {
        case .flowing(let device): flows.append(device)
        case .audio(let buffer):
            samples += buffer.samples
            meter.observe(buffer.samples)
        case .interrupted: interruptions += 1
        case .overrun: Issue.record("samples were lost")
        }
        wake()
    }

    func fail(_ error: any Error) {
        failure = error
        wake()
    }

    private func wake() {
        let now = snapshot
        let met = waiters.filter { $0.0(now) }
        waiters.removeAll { $0.0(now) }
        for waiter in met { waiter.1.resume() }
        if let failure {
            for waiter in waiters { waiter.1.resume(throwing: failure) }
            waiters = []
        }
    }

    func until(_ condition: @escaping @Sendable (Snapshot) -> Bool) async throws {
        if condition(snapshot) { return }
        if let failure { throw failure }
        try await withCheckedThrowingContinuation { waiters.append((condition, $0)) }
    }
}

/// Samples of a linear congruential generator that a pipe gives to a sound server; no stretch of them comes twice.
private struct Sequenced {
    private let file: FileHandle
    private var state: UInt32 = 12_345
    private(set) var given: [Int16] = []

    init(path: String) throws { file = try FileHandle(forWritingTo: URL(fileURLWithPath: path)) }

    /// Blocks while the pipe is full.
    mutating func write(_ count: Int) throws {
        var bytes: [UInt8] = []
        for _ in 0..<count {
            state = state &* 1_664_525 &+ 1_013_904_223
            let value = Int16(truncatingIfNeeded: state >> 16)
            given.append(value)
            bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        try file.write(contentsOf: bytes)
    }
}

@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: SoundServer.isInstalled, "needs the programs pulseaudio, pactl and ffmpeg"))
struct PulseAudioCaptureTests {
    private static let sink = "module-null-sink sink_name=desk rate=48000 sink_properties=device.description=Desk"
    private static let other = "module-null-sink sink_name=headset rate=16000 sink_properties=device.description=Headset"

    /// Runs `body` with a server and its recording.
    private func recording(
        _ modules: [String], device: String? = nil, _ body: (SoundServer, Recorded) async throws -> Void
    ) async throws {
        let server = try SoundServer(modules: modules)
        defer { server.remove() }
        try await server.ready()
        let recorded = Recorded()
        let capture = PulseAudioCapture(server: server.address)
        let task = Task {
            do { for try await event in capture.record(.init(device: device)) { await recorded.take(event) } } catch { await recorded.fail(error) }
        }
        defer { task.cancel() }
        try await body(server, recorded)
    }

    private func tone(_ frequency: Int, in folder: String) throws -> String {
        let path = "\(folder)/\(frequency).wav"
        var writer = try WAVWriter(path: path, sampleRate: 48_000)
        try writer.append(AudioBuffer(samples: (0..<48_000).map { Float(sin(Double($0) * 2 * .pi * Double(frequency) / 48_000)) * 0.5 }, sampleRate: 48_000))
        try writer.finish()
        return path
    }

    /// Upward crossings of zero in a second, where the tone is.
    private func pitch(_ samples: [Float]) -> Int {
        guard let first = samples.firstIndex(where: { abs($0) > 0.2 }), samples.count >= first + 12_000 else { return 0 }
        let part = samples[(first + 2000)..<(first + 10_000)]
        return zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 } * 2
    }

    @Test("the devices are listed, the default one first")
    func devices() async throws {
        let server = try SoundServer(modules: [Self.sink, Self.other])
        defer { server.remove() }
        try await server.ready()
        try await server.control(["set-default-source", "headset.monitor"])
        let devices = try await PulseAudioCapture(server: server.address).devices()
        #expect(devices.map(\.id) == ["headset.monitor", "desk.monitor"])
        #expect(devices.map(\.isDefault) == [true, false])
        #expect(devices.map(\.sampleRate) == [16_000, 48_000])
        #expect(devices.allSatisfy { $0.isMonitor && $0.isMuted == false && $0.isBluetooth == false })
        try await server.control(["set-source-mute", "desk.monitor", "1"])
        #expect(try await PulseAudioCapture(server: server.address).devices().last?.isMuted == true)
    }

    @Test("what is played is recorded at 16 kHz with its pitch and level, whatever the device's rate", arguments: ["desk", "headset"])
    func tone(sink: String) async throws {
        try await recording([Self.sink, Self.other], device: sink + ".monitor") { server, recorded in
            try await recorded.until { $0.flows.isEmpty == false }
            #expect(await recorded.flows.first?.id == sink + ".monitor")
            try await server.play(try tone(440, in: server.folder), into: sink)
            try await recorded.until { $0.recentPeak < 0.01 && $0.count > 16_000 }
            let samples = await recorded.samples
            #expect(abs(pitch(samples) - 440) <= 4)
            #expect(abs((samples.max() ?? 0) - 0.5) < 0.05)
            // Nothing is heard twice; on a busy machine the player itself may stumble.
            let heard = samples.count { abs($0) > 0.02 }
            #expect(heard > 8000 && heard < 16_400)
        }
    }

    @Test("every sample that a device gives is recorded, once and in order")
    func nothingLost() async throws {
        let server = try SoundServer()
        defer { server.remove() }
        try await server.ready()
        let pipe = server.folder + "/pipe"
        _ = try await server.load("module-pipe-source", "source_name=pipe", "file=\(pipe)", "format=s16le", "rate=16000", "channels=1")
        let recorded = Recorded()
        let capture = PulseAudioCapture(server: server.address)
        let task = Task {
            do { for try await event in capture.record(.init(device: "pipe")) { await recorded.take(event) } } catch { await recorded.fail(error) }
        }
        defer { task.cancel() }
        // The pipe begins before the recording and ends twelve seconds of sound after its first sample.
        let given = try await Task.detached {
            var source = try Sequenced(path: pipe)
            while await recorded.flows.isEmpty { try source.write(320) }
            for _ in 0..<600 { try source.write(320) }
            return source.given
        }.value
        try await recorded.until { $0.ending == Array(given.suffix(2)) }
        let heard = await recorded.samples.map { Int16(($0 * 32_768).rounded()) }
        #expect(heard.count >= 192_000)
        #expect(heard == Array(given.suffix(heard.count)))
    }

    @Test("silence of a muted device is noticed, and its end")
    func mute() async throws {
        try await recording([Self.sink, "module-sine sink=desk frequency=300"], device: "desk.monitor") { server, recorded in
            try await recorded.until { $0.recentPeak > 0.1 }
            try await server.control(["set-source-mute", "desk.monitor", "1"])
            try await recorded.until { $0.isDead }
            try await server.control(["set-source-mute", "desk.monitor", "0"])
            try await recorded.until { $0.isDead == false && $0.recentPeak > 0.1 }
        }
    }

    @Test("a device that is unplugged is replaced by the default one, and is taken again when it is back and the other goes")
    func unplug() async throws {
        try await recording([Self.other]) { server, recorded in
            let desk = try await server.load("module-null-sink", "sink_name=desk", "rate=48000")
            try await recorded.until { $0.flows.isEmpty == false }
            try await server.control(["set-default-source", "desk.monitor"])
            try await recorded.until { $0.flows.last?.id == "desk.monitor" }
            let before = await recorded.samples.count
            try await server.control(["unload-module", desk])
            try await recorded.until { $0.flows.last?.id == "headset.monitor" && $0.count > before + 8000 }
            // From the other device the sound really comes.
            try await server.play(try tone(600, in: server.folder), into: "headset")
            try await recorded.until { $0.recentPeak < 0.01 && $0.count > before + 16_000 }
            #expect(abs(pitch(Array(await recorded.samples[before...])) - 600) <= 4)
        }
    }

    @Test("the last device goes and comes back: the recording waits and goes on")
    func replug() async throws {
        try await recording([]) { server, recorded in
            // A server without devices makes a dummy only if told to; this one has none.
            _ = server
            await #expect(throws: CaptureError.self) { try await recorded.until { $0.count > 0 } }
        }
        let server = try SoundServer()
        defer { server.remove() }
        try await server.ready()
        let first = try await server.load("module-null-sink", "sink_name=desk")
        let recorded = Recorded()
        let capture = PulseAudioCapture(server: server.address)
        let task = Task {
            do { for try await event in capture.record(.init(device: "desk.monitor")) { await recorded.take(event) } } catch { await recorded.fail(error) }
        }
        defer { task.cancel() }
        try await recorded.until { $0.count > 1600 }
        try await server.control(["unload-module", first])
        try await recorded.until { $0.interruptions == 1 }
        _ = try await server.load("module-null-sink", "sink_name=desk")
        try await recorded.until { $0.flows.count == 2 }
        let count = await recorded.samples.count
        try await recorded.until { $0.count > count + 3200 }
    }

    @Test("the sound server is restarted: the recording goes on")
    func restart() async throws {
        try await recording([Self.sink]) { server, recorded in
            try await recorded.until { $0.count > 1600 }
            await server.stop()
            try await recorded.until { $0.interruptions == 1 }
            let again = try SoundServer(modules: [Self.sink], folder: server.folder)
            defer { again.remove() }
            try await again.ready()
            try await recorded.until { $0.flows.count == 2 }
            let count = await recorded.samples.count
            try await recorded.until { $0.count > count + 3200 }
        }
    }

    @Test("no server, and a device that is not there, are errors that say what to do")
    func errors() async throws {
        let nobody = PulseAudioCapture(server: "unix:/nonexistent/socket")
        let listing = await #expect(throws: CaptureError.self) { try await nobody.devices() }
        #expect(listing?.code == .noServer)
        #expect(listing?.message.contains("PULSE_SERVER") == true)
        let recording = await #expect(throws: CaptureError.self) { for try await _ in nobody.record(.init()) {} }
        #expect(recording?.code == .noServer)
        let server = try SoundServer(modules: [Self.sink])
        defer { server.remove() }
        try await server.ready()
        let missing = await #expect(throws: CaptureError.self) {
            for try await _ in PulseAudioCapture(server: server.address).record(.init(device: "nowhere")) {}
        }
        #expect(missing?.code == .noDevice)
        #expect(missing?.message.contains("desk.monitor") == true)
    }

    @Test("who stops reading stops the recording: the server sees no client any more")
    func ends() async throws {
        let server = try SoundServer(modules: [Self.sink])
        defer { server.remove() }
        try await server.ready()
        for _ in 0..<3 {
            for try await event in PulseAudioCapture(server: server.address).record(.init()) { if case .audio = event { break } }
        }
        while true {
            let outputs = String(decoding: try await server.control(["list", "short", "source-outputs"]).checked(), as: UTF8.self)
            if outputs.isEmpty { break }
            await Task.yield()
        }
    }
}
