/// The container formats that are accepted, told by their first bytes and never by a file's name.
public enum MediaFormat: String, Sendable, CaseIterable {
    case wav, flac, mp3, adts, ogg, matroska, mp4, aiff, caf, au, avi, amr, asf, wavpack, mpegts, flv

    /// How many bytes ``sniff(_:)`` looks at.
    public static let prefixLength = 400

    /// The format that a file with these first bytes has, if it is accepted.
    ///
    /// Text formats, playlists and everything that names other files are not: a decoder must open nothing but its input.
    public static func sniff(_ prefix: some Collection<UInt8>) -> MediaFormat? {
        let bytes = Array(prefix.prefix(prefixLength))
        func has(_ text: String, at offset: Int = 0) -> Bool {
            bytes.count >= offset + text.utf8.count && bytes[offset..<(offset + text.utf8.count)].elementsEqual(text.utf8)
        }
        func has(_ pattern: [UInt8]) -> Bool { bytes.starts(with: pattern) }
        if (has("RIFF") || has("RF64") || has("BW64")) && has("WAVE", at: 8) { return .wav }
        if has("RIFF"), has("AVI ", at: 8) { return .avi }
        if has("fLaC") { return .flac }
        if has("OggS") { return .ogg }
        if has("ID3") { return .mp3 }
        if has([0x1A, 0x45, 0xDF, 0xA3]) { return .matroska }
        if has("ftyp", at: 4) || has("moov", at: 4) || has("mdat", at: 4) || has("wide", at: 4) { return .mp4 }
        if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) { return .aiff }
        if has("caff") { return .caf }
        if has(".snd") { return .au }
        if has("#!AMR") { return .amr }
        if has("wvpk") { return .wavpack }
        if has("FLV") { return .flv }
        if has([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) { return .asf }
        if bytes.count > 376, bytes[0] == 0x47, bytes[188] == 0x47, bytes[376] == 0x47 { return .mpegts }
        // MPEG audio frames: eleven set bits; layer 0 is ADTS.
        if bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 {
            if bytes[1] & 0xF6 == 0xF0 { return .adts }
            let isValid = (bytes[1] >> 3) & 3 != 1 && (bytes[1] >> 1) & 3 != 0 && bytes[2] >> 4 != 15 && (bytes[2] >> 2) & 3 != 3
            if isValid { return .mp3 }
        }
        return nil
    }

    /// ffmpeg's name of the demuxer, given so that it never guesses.
    var demuxer: String {
        switch self {
        case .adts: "aac"
        case .mp4: "mov"
        case .wavpack: "wv"
        default: rawValue
        }
    }

    /// Whether the index may stand at the end, so that the decoder must be able to go back.
    var needsSeeking: Bool {
        switch self {
        case .mp4, .avi, .matroska, .caf, .asf: true
        default: false
        }
    }
}
