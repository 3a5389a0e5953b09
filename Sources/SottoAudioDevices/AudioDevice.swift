/// A source of sound that the system offers: a microphone, a line, the monitor of an output.
public struct AudioDevice: Sendable, Equatable, Codable {
    /// The system's own name of it, stable across restarts.
    public var id: String
    /// For people.
    public var name: String
    /// Whether the system takes it when nobody chooses.
    public var isDefault: Bool
    /// Whether it only plays back what an output plays.
    public var isMonitor: Bool
    /// Whether the system's mute switch is on.
    public var isMuted: Bool
    /// Whether it is reached over Bluetooth: while it records, such a headset plays in telephone quality.
    public var isBluetooth: Bool
    /// In hertz.
    public var sampleRate: Int
    public var channels: Int

    public init(
        id: String, name: String, isDefault: Bool = false, isMonitor: Bool = false, isMuted: Bool = false, isBluetooth: Bool = false,
        sampleRate: Int = 48_000, channels: Int = 1
    ) {
        self.id = id
        self.name = name
        self.isDefault = isDefault
        self.isMonitor = isMonitor
        self.isMuted = isMuted
        self.isBluetooth = isBluetooth
        self.sampleRate = sampleRate
        self.channels = channels
    }
}
