internal import CPulse
internal import SottoStreams

/// A mono stream to the sound server's default output. Each call blocks this actor's own thread, never Swift's pool.
actor SoundServerOutput {
    /// How far the sound server is ahead of the ear, in seconds: enough against gaps, short enough that a stop is heard at once.
    static let ahead = 0.1
    private let executor = BlockingExecutor(label: "sotto.playback")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private let sampleRate: Int
    private let server: String?
    private var connection: ConnectionHandle?

    init(sampleRate: Int, server: String?) {
        self.sampleRate = sampleRate
        self.server = server
    }

    /// Plays samples after those before; waits while more than a tenth of a second is ahead.
    ///
    /// - Throws: ``PlaybackError``.
    func play(_ samples: ArraySlice<Float>) throws {
        if connection == nil { connection = try ConnectionHandle(sampleRate: sampleRate, server: server) }
        try connection?.write(samples)
    }

    /// Waits until everything is heard.
    func drain() throws { try connection?.drain() }

    /// Drops what is not heard yet and lets go of the sound server.
    func stop() { connection = nil }
}

/// Owns one connection and frees it exactly once; what is not yet played is dropped then.
@safe private struct ConnectionHandle: ~Copyable {
    private let pointer: OpaquePointer

    init(sampleRate: Int, server: String?) throws(PlaybackError) {
        var form = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(sampleRate), channels: 1)
        let ahead = UInt32(Double(sampleRate) * SoundServerOutput.ahead) * 4
        let any = UInt32.max
        var buffering = pa_buffer_attr(maxlength: any, tlength: ahead, prebuf: any, minreq: any, fragsize: any)
        var code: Int32 = 0
        let made = unsafe pa_simple_new(server, "sotto", PA_STREAM_PLAYBACK, nil, "speech", &form, nil, &buffering, &code)
        guard let made = unsafe made else {
            throw PlaybackError(
                .noSoundServer, "the sound server cannot be reached (\(unsafe String(cString: pa_strerror(code)))); start PulseAudio or PipeWire, or use --output")
        }
        unsafe pointer = made
    }

    deinit {
        _ = unsafe pa_simple_flush(pointer, nil)
        unsafe pa_simple_free(pointer)
    }

    func write(_ samples: ArraySlice<Float>) throws(PlaybackError) {
        var code: Int32 = 0
        let result = unsafe samples.withUnsafeBytes { bytes in unsafe pa_simple_write(pointer, bytes.baseAddress ?? UnsafeRawPointer(pointer), bytes.count, &code) }
        guard result == 0 else { throw Self.interrupted(code) }
    }

    func drain() throws(PlaybackError) {
        var code: Int32 = 0
        guard unsafe pa_simple_drain(pointer, &code) == 0 else { throw Self.interrupted(code) }
    }

    private static func interrupted(_ code: Int32) -> PlaybackError {
        PlaybackError(.interrupted, "the sound server stopped playing (\(unsafe String(cString: pa_strerror(code))))")
    }
}
