/// The formats that speech is given in.
public enum SpeechFormat: String, CaseIterable, Sendable {
    case mp3, opus, aac, flac, wav, pcm

    /// For the header.
    public var contentType: String {
        switch self {
        case .mp3: "audio/mpeg"
        case .opus: "audio/ogg"
        case .aac: "audio/aac"
        case .flac: "audio/flac"
        case .wav: "audio/wav"
        // 16 bits, little-endian, 24 kHz, one channel.
        case .pcm: "audio/pcm"
        }
    }
}
