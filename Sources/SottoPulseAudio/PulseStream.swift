import CPulse
import SottoAudioDevices

/// One recording stream of a connection: mono floats at the device's own rate. Used by the connection's thread only.
@safe final class PulseStream {
    private let connection: PulseConnection
    private let stream: OpaquePointer

    /// Samples that the server gathers before it sends them, in seconds.
    private static let fragment = 0.02

    /// - Parameter device: `nil` follows the default.
    /// - Throws: ``CaptureError`` `.failed`.
    init(_ connection: PulseConnection, device: String?) throws {
        var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: 48_000, channels: 1)
        guard let stream = unsafe pa_stream_new(connection.context, "Recording", &format, nil) else {
            throw CaptureError(.failed, "the sound server refused a recording: \(connection.lastError)")
        }
        self.connection = connection
        unsafe self.stream = stream
        let bytes = UInt32(Self.fragment * 48_000) * 4
        var buffer = pa_buffer_attr(maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: bytes)
        let flags = pa_stream_flags_t(rawValue: PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_FIX_RATE.rawValue)
        guard unsafe pa_stream_connect_record(stream, device, &buffer, flags) >= 0 else {
            throw CaptureError(.failed, "the sound server refused a recording: \(connection.lastError)")
        }
    }

    deinit {
        unsafe pa_stream_disconnect(stream)
        unsafe pa_stream_unref(stream)
    }

    var isReady: Bool { unsafe pa_stream_get_state(stream) == PA_STREAM_READY }

    /// Whether it can still become ready, or is.
    var isAlive: Bool {
        switch unsafe pa_stream_get_state(stream) {
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED: false
        default: connection.isAlive
        }
    }

    /// In hertz, once ready.
    var sampleRate: Int { unsafe pa_stream_get_sample_spec(stream).map { unsafe Int($0.pointee.rate) } ?? 48_000 }

    /// The device that it records from at the moment, once ready.
    var device: String? { unsafe pa_stream_get_device_name(stream).map { unsafe String(cString: $0) } }

    /// The samples that have come since the last call. A hole in the recording is silence of its length.
    func read() -> [Float] {
        var samples: [Float] = []
        while unsafe pa_stream_readable_size(stream) > 0, isReady {
            var data: UnsafeRawPointer?
            var bytes = 0
            guard unsafe pa_stream_peek(stream, &data, &bytes) >= 0, bytes > 0 else { return samples }
            if let data = unsafe data {
                unsafe samples.append(contentsOf: UnsafeRawBufferPointer(start: data, count: bytes).bindMemory(to: Float.self))
            } else {
                samples += [Float](repeating: 0, count: bytes / 4)
            }
            _ = unsafe pa_stream_drop(stream)
        }
        return samples
    }
}
