import CPulse
import SottoAudioDevices
import SottoStreams

/// One connection to the sound server, with its own main loop. Used by one thread only; every call may block.
///
/// libpulse is driven by turning its main loop by hand, so that there is no thread of its own, no lock, and next to no callback.
@safe final class PulseConnection {
    /// What the server tells while it is asked for its devices; lives as long as the question.
    private final class Answers {
        var devices: [AudioDevice] = []
        var defaultID: String?
        var isDone = false
    }

    /// Microseconds of one turn at most, so that a stop is noticed.
    private static let turn: Int32 = 50_000

    private let loop: OpaquePointer
    let context: OpaquePointer

    /// Begins to connect.
    ///
    /// - Throws: ``CaptureError`` `.noServer`.
    init(server: String?) throws {
        guard let loop = unsafe pa_mainloop_new() else { throw CaptureError(.failed, "there is no memory for the sound server's loop") }
        guard let context = unsafe pa_context_new(pa_mainloop_get_api(loop), "Sotto") else {
            unsafe pa_mainloop_free(loop)
            throw CaptureError(.failed, "there is no memory for a connection to the sound server")
        }
        unsafe self.loop = loop
        unsafe self.context = context
        guard unsafe pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { throw noServer() }
    }

    deinit {
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        unsafe pa_mainloop_free(loop)
    }

    var isReady: Bool { unsafe pa_context_get_state(context) == PA_CONTEXT_READY }

    /// Whether it can still become ready, or is.
    var isAlive: Bool {
        switch unsafe pa_context_get_state(context) {
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: false
        default: true
        }
    }

    /// What the server said last.
    var lastError: String { unsafe String(cString: pa_strerror(pa_context_errno(context))) }

    func noServer() -> CaptureError {
        CaptureError(.noServer, "the sound server does not answer (\(lastError)); start PulseAudio or PipeWire, or set PULSE_SERVER")
    }

    /// Turns the loop once: waits for something to happen, for 50 ms at most.
    func turnOnce() {
        guard unsafe pa_mainloop_prepare(loop, Self.turn) >= 0, unsafe pa_mainloop_poll(loop) >= 0 else { return }
        _ = unsafe pa_mainloop_dispatch(loop)
    }

    /// - Throws: ``CaptureError`` `.noServer`; `CancellationError`.
    func waitUntilReady(stop: CancellationFlag) throws {
        while isReady == false {
            if stop.isCancelled { throw CancellationError() }
            guard isAlive else { throw noServer() }
            turnOnce()
        }
    }

    /// Turns the loop until an operation is done or can no longer be.
    private func finish(_ operation: OpaquePointer?, stop: CancellationFlag) throws {
        guard let operation = unsafe operation else { throw CaptureError(.failed, "the sound server refused: \(lastError)") }
        defer { unsafe pa_operation_unref(operation) }
        while unsafe pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
            if stop.isCancelled {
                // Or the answer would come when nobody is there to take it.
                unsafe pa_operation_cancel(operation)
                throw CancellationError()
            }
            guard isAlive else { throw noServer() }
            turnOnce()
        }
    }

    /// The devices, the default one first.
    ///
    /// - Throws: ``CaptureError``; `CancellationError`.
    func devices(stop: CancellationFlag) throws -> [AudioDevice] {
        let answers = Answers()
        let pointer = unsafe Unmanaged.passUnretained(answers).toOpaque()
        try unsafe finish(
            pa_context_get_server_info(
                context,
                { _, info, pointer in
                    guard let info = unsafe info, let pointer = unsafe pointer else { return }
                    let answers = unsafe Unmanaged<Answers>.fromOpaque(pointer).takeUnretainedValue()
                    answers.defaultID = unsafe info.pointee.default_source_name.map { unsafe String(cString: $0) }
                }, pointer), stop: stop)
        try unsafe finish(
            pa_context_get_source_info_list(
                context,
                { _, info, _, pointer in
                    guard let info = unsafe info, let pointer = unsafe pointer else { return }
                    let answers = unsafe Unmanaged<Answers>.fromOpaque(pointer).takeUnretainedValue()
                    if let device = unsafe PulseConnection.device(info.pointee) { answers.devices.append(device) }
                }, pointer), stop: stop)
        var devices = answers.devices
        for index in devices.indices { devices[index].isDefault = devices[index].id == answers.defaultID }
        return withExtendedLifetime(answers) { devices.sorted { ($0.isDefault ? 0 : $0.isMonitor ? 2 : 1, $0.name) < ($1.isDefault ? 0 : $1.isMonitor ? 2 : 1, $1.name) } }
    }

    private static func device(_ info: pa_source_info) -> AudioDevice? {
        guard let name = unsafe info.name else { return nil }
        let bus = unsafe pa_proplist_gets(info.proplist, PA_PROP_DEVICE_BUS).map { unsafe String(cString: $0) }
        return unsafe AudioDevice(
            id: String(cString: name), name: info.description.map { unsafe String(cString: $0) } ?? String(cString: name),
            isMonitor: info.monitor_of_sink != UInt32.max, isMuted: info.mute != 0, isBluetooth: bus == "bluetooth",
            sampleRate: Int(info.sample_spec.rate), channels: Int(info.sample_spec.channels))
    }
}
