public import SottoAudio
public import SottoStreams

/// Records from the sound devices of the system.
public protocol AudioCapture: Sendable {
    /// The devices that can be recorded from, the default one first.
    ///
    /// - Throws: ``CaptureError`` `.noServer`.
    func devices() async throws -> [AudioDevice]

    /// Records until the reader stops reading. Nothing is recorded before the first element is asked for.
    ///
    /// - Throws: While iterating: ``CaptureError`` `.noServer` and `.noDevice`, at the beginning only: what is lost later is waited for.
    func record(_ request: CaptureRequest) -> ProducedSequence<CaptureEvent>
}

/// What to record.
public struct CaptureRequest: Sendable, Equatable {
    /// The ``AudioDevice/id`` of a device; `nil` follows the system's default.
    public var device: String?
    /// Of what comes out, in hertz, whatever the device has.
    public var sampleRate: Int

    public init(device: String? = nil, sampleRate: Int = 16_000) {
        self.device = device
        self.sampleRate = sampleRate
    }
}

/// What happens while recording, in order.
public enum CaptureEvent: Sendable, Equatable {
    /// Samples flow from this device: at the beginning, and again whenever another one takes over.
    case flowing(AudioDevice)
    /// The next samples, mono at the rate that was asked for.
    case audio(AudioBuffer)
    /// The device is gone; recording goes on by itself once there is one. What was recorded is complete.
    case interrupted(String)
    /// The reader was too slow for minutes, and this many seconds were lost.
    case overrun(seconds: Double)
}

/// Why nothing can be recorded; the message says what to do.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// There is no sound server that answers.
        case noServer
        /// There is no such device, or none at all.
        case noDevice
        /// Somebody else records.
        case busy
        /// The system refused.
        case failed
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
