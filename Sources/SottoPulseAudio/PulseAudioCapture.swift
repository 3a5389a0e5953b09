internal import Foundation
internal import SottoAudio
public import SottoAudioDevices
public import SottoStreams
internal import Synchronization

/// Records through the sound server of the desktop: PulseAudio, or PipeWire in its place.
///
/// ```swift
/// for try await event in PulseAudioCapture().record(.init()) {
///     if case .audio(let buffer) = event { … }
/// }
/// ```
/// The device's own rate is asked for and changed by libsoxr. A device that is unplugged is replaced by the default one, and a server
/// that goes is waited for: the recording goes on in either case, and the reader is told.
public struct PulseAudioCapture: AudioCapture {
    private let server: String?

    /// - Parameter server: A server's address as in `PULSE_SERVER`; `nil` takes the user's own.
    public init(server: String? = nil) {
        self.server = server
    }

    public func devices() async throws -> [AudioDevice] {
        let server = server
        return try await onThread { stop in
            let connection = try PulseConnection(server: server)
            try connection.waitUntilReady(stop: stop)
            return try connection.devices(stop: stop)
        }
    }

    public func record(_ request: CaptureRequest) -> ProducedSequence<CaptureEvent> {
        let server = server
        return ProducedSequence { emit in
            // The sound server's thread never waits for the reader: what it gives is kept here, minutes of it if need be.
            let queue = CaptureQueue(limit: 300 * request.sampleRate)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { queue.finish() }
                    try await onThread { stop in try PulseRecording(server: server, request: request, queue: queue, stop: stop).run() }
                }
                while let event = await queue.next() { try await emit(event) }
                try Task.checkCancellation()
                try await group.next()
            }
        }
    }
}

/// Runs blocking work on a thread of its own; a cancel raises the flag, which the work looks at.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable (CancellationFlag) throws -> Value) async throws -> Value {
    try await withCancellationFlag { flag in
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body(flag) }) }
        }
    }
}
