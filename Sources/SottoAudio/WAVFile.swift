/// Uncompressed audio of a RIFF WAVE file, any number of channels.
///
/// ```swift
/// let recording = try WAVFile(path: "take.wav").mono()
/// try WAVFile.write(recording, to: "copy.wav")
/// ```
/// Reads integers of 8, 16, 24 and 32 bits and floats of 32 and 64, plain or as WAVE_FORMAT_EXTENSIBLE. Compressed formats are the
/// media decoder's work. Source of the layout: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications
/// 1.0"; extensible format: Microsoft, "Multiple channel audio data and WAVE files".
public struct WAVFile: Sendable, Equatable {
    /// Frames a second, in hertz.
    public var sampleRate: Int
    public var channels: Int
    /// Frame by frame, nominally in [-1, 1].
    public var interleaved: [Float]

    public init(sampleRate: Int, channels: Int, interleaved: [Float]) {
        precondition(sampleRate > 0 && channels > 0 && interleaved.count % channels == 0, "frames are whole")
        self.sampleRate = sampleRate
        self.channels = channels
        self.interleaved = interleaved
    }

    /// Every frame's mean over the channels.
    public func mono() -> AudioBuffer {
        AudioBuffer(samples: ChannelMixdown.mono(interleaved, channels: channels), sampleRate: sampleRate)
    }

    private enum Encoding {
        case unsigned8, signed16, signed24, signed32, float32, float64

        var bytes: Int {
            switch self {
            case .unsigned8: 1
            case .signed16: 2
            case .signed24: 3
            case .signed32, .float32: 4
            case .float64: 8
            }
        }
    }

    /// Parses a whole file.
    ///
    /// A `data` chunk without a length, as programs write that cannot seek (0 as the last chunk, or 0xFFFFFFFF), reaches to the
    /// end of the file. A float that is not a number reads as 0.
    /// - Throws: ``AudioError`` `.notAudio`, `.truncated`, `.unsupportedFormat`.
    public init(bytes: [UInt8]) throws(AudioError) {
        guard bytes.count >= 12, Self.tag(bytes, 0) == "RIFF", Self.tag(bytes, 8) == "WAVE" else {
            throw AudioError(.notAudio, bytes.isEmpty ? "the file is empty" : "this is not a WAV file; its first bytes are not RIFF … WAVE")
        }
        var position = 12
        var format: (encoding: Encoding, channels: Int, rate: Int)?
        while position + 8 <= bytes.count {
            let tag = Self.tag(bytes, position)
            let size = Self.unsigned(bytes, position + 4, 4)
            let start = position + 8
            if tag == "fmt " {
                guard start + size <= bytes.count else {
                    throw AudioError(.truncated, "the WAV file ends inside its format; record or fetch it again")
                }
                format = try Self.format(bytes[start..<(start + size)])
            } else if tag == "data" {
                guard let format else { throw AudioError(.notAudio, "the WAV file has samples before any format; it is damaged") }
                let isOpenEnded = size == 0xFFFF_FFFF || (size == 0 && Self.hasNoChunk(bytes, at: start))
                let end = isOpenEnded ? bytes.count : start + size
                guard end <= bytes.count else {
                    throw AudioError(
                        .truncated, "the WAV file ends \(end - bytes.count) bytes before its samples do; record or fetch it again")
                }
                let frame = format.encoding.bytes * format.channels
                guard isOpenEnded || (end - start) % frame == 0 else {
                    throw AudioError(.truncated, "the WAV file's last frame is not whole; record or fetch it again")
                }
                let frames = (end - start) / frame
                self.init(
                    sampleRate: format.rate, channels: format.channels,
                    interleaved: Self.samples(bytes[start..<(start + frames * frame)], format.encoding))
                return
            }
            // Chunks begin at even places; the filling byte is not counted in the size.
            position = start + size + size % 2
        }
        throw AudioError(format == nil ? .notAudio : .truncated, "the WAV file holds no \(format == nil ? "format" : "samples"); it is damaged")
    }

    private static func format(_ chunk: ArraySlice<UInt8>) throws(AudioError) -> (encoding: Encoding, channels: Int, rate: Int) {
        let bytes = Array(chunk)
        guard bytes.count >= 16 else { throw AudioError(.truncated, "the WAV file's format is cut short; it is damaged") }
        var kind = unsigned(bytes, 0, 2)
        let channels = unsigned(bytes, 2, 2)
        let rate = unsigned(bytes, 4, 4)
        let block = unsigned(bytes, 12, 2)
        let bits = unsigned(bytes, 14, 2)
        if kind == 0xFFFE {
            guard bytes.count >= 40 else { throw AudioError(.truncated, "the WAV file's extended format is cut short; it is damaged") }
            // The first two bytes of the identifier are the plain format number; the rest is the same for all of them.
            let rest: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
            guard Array(bytes[26..<40]) == rest else {
                throw AudioError(.unsupportedFormat, "the WAV file's sample format is unknown; convert it to 16-bit PCM")
            }
            kind = unsigned(bytes, 24, 2)
        }
        guard (1...64).contains(channels), (1...1_000_000).contains(rate) else {
            throw AudioError(.notAudio, "the WAV file claims \(channels) channels at \(rate) Hz; it is damaged")
        }
        let encoding: Encoding
        switch (kind, bits) {
        case (1, 8): encoding = .unsigned8
        case (1, 16): encoding = .signed16
        case (1, 24): encoding = .signed24
        case (1, 32): encoding = .signed32
        case (3, 32): encoding = .float32
        case (3, 64): encoding = .float64
        default:
            throw AudioError(.unsupportedFormat, "WAV format \(kind) with \(bits) bits is not plain PCM; convert it to 16-bit PCM")
        }
        guard block == encoding.bytes * channels else {
            throw AudioError(.notAudio, "the WAV file claims \(block) bytes a frame for \(channels) channels of \(bits) bits; it is damaged")
        }
        return (encoding, channels, rate)
    }

    private static func samples(_ data: ArraySlice<UInt8>, _ encoding: Encoding) -> [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(data.count / encoding.bytes)
        for index in stride(from: data.startIndex, to: data.endIndex, by: encoding.bytes) {
            switch encoding {
            case .unsigned8: samples.append((Float(data[index]) - 128) / 128)
            case .signed16: samples.append(Float(Int16(bitPattern: UInt16(data[index]) | UInt16(data[index + 1]) << 8)) / 32768)
            case .signed24:
                let value = UInt32(data[index]) << 8 | UInt32(data[index + 1]) << 16 | UInt32(data[index + 2]) << 24
                samples.append(Float(Int32(bitPattern: value) >> 8) / 8_388_608)
            case .signed32: samples.append(Float(Int32(bitPattern: word(data, index))) / 2_147_483_648)
            case .float32:
                let value = Float(bitPattern: word(data, index))
                samples.append(value.isFinite ? value : 0)
            case .float64:
                let value = Float(Double(bitPattern: UInt64(word(data, index)) | UInt64(word(data, index + 4)) << 32))
                samples.append(value.isFinite ? value : 0)
            }
        }
        return samples
    }

    private static func word(_ data: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
        UInt32(data[index]) | UInt32(data[index + 1]) << 8 | UInt32(data[index + 2]) << 16 | UInt32(data[index + 3]) << 24
    }

    private static func tag(_ bytes: [UInt8], _ position: Int) -> String { String(decoding: bytes[position..<(position + 4)], as: UTF8.self) }

    private static func unsigned(_ bytes: [UInt8], _ position: Int, _ width: Int) -> Int {
        (0..<width).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
    }

    /// Whether what follows cannot be another chunk, so that an empty `data` chunk must be one whose length was never filled in.
    private static func hasNoChunk(_ bytes: [UInt8], at position: Int) -> Bool {
        guard position + 8 <= bytes.count else { return true }
        let isTag = bytes[position..<(position + 4)].allSatisfy { (0x20...0x7E).contains($0) }
        return isTag == false || position + 8 + unsigned(bytes, position + 4, 4) > bytes.count
    }
}
