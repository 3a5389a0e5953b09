internal import Foundation
internal import SottoAudio
public import SottoSpeechEngines
public import SottoStreams
internal import SottoSubprocess

/// Turns a WAV file of ours into another format, through ffmpeg in a child process.
///
/// ```swift
/// try await MediaEncoder().encode("speech.wav", as: .opus, to: "speech.opus")
/// ```
public struct MediaEncoder: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case wav, opus, flac

        /// The format that a file's name asks for; `nil` for an ending that is none of ours.
        public init?(fileName: String) {
            switch URL(filePath: fileName).pathExtension.lowercased() {
            case "wav": self = .wav
            case "opus", "ogg": self = .opus
            case "flac": self = .flac
            default: return nil
            }
        }

        /// The endings that are understood.
        public static let endings = ".wav, .opus, .ogg, .flac"
    }

    /// Formats that can be made while the audio is.
    public enum StreamFormat: String, Sendable, CaseIterable {
        case mp3, opus, aac, flac
    }

    public init() {}

    /// Encodes a file; the goal appears under its name only when it is whole, readable by its owner only.
    ///
    /// - Parameter comment: What the file says of itself, such as that its speech is synthetic; nothing else is said.
    ///
    /// Opus is made at 32 kbit/s for speech, which is hardly to be told from the original.
    /// - Throws: ``MediaError`` `.decoderMissing`, `.damaged`, `.unreadable` for a goal that cannot be written; `CancellationError`, which ends the child.
    public func encode(_ wav: String, as format: Format, to goal: String, comment: String? = nil) async throws {
        let part = URL(filePath: goal).deletingLastPathComponent().path + "/.sotto-\(UUID().uuidString.prefix(12)).partial"
        defer { try? FileManager.default.removeItem(atPath: part) }
        guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw MediaError(.unreadable, "\(goal) cannot be written; check its folder")
        }
        let codec =
            switch format {
            case .wav: ["-c:a", "pcm_s16le", "-f", "wav"]
            case .opus: ["-c:a", "libopus", "-b:a", "32k", "-application", "voip", "-f", "ogg"]
            case .flac: ["-c:a", "flac", "-sample_fmt", "s16", "-f", "flac"]
            }
        let request = Subprocess.Request(
            "ffmpeg", ["-v", "error", "-nostdin", "-f", "wav", "-i", "pipe:0", "-map_metadata", "-1", "-fflags", "+bitexact"] + codec
                + (comment.map { ["-metadata", "comment=" + $0] } ?? []) + ["-y", "file:" + part],
            input: .file(wav), deadline: .seconds(3600), package: "ffmpeg")
        do {
            _ = try await Subprocess.run(request).checked()
        } catch let error as SubprocessError {
            let code: MediaError.Code = error.code == .notFound ? .decoderMissing : .damaged
            throw MediaError(code, "the speech could not be encoded: \(error.message)", cause: error)
        }
        guard unsafe rename(part, goal) == 0 else { throw MediaError(.unreadable, "\(goal) cannot be written; check its folder") }
    }

    /// Encodes audio while it is made; what the encoder has ready is handed on at once.
    ///
    /// - Parameter audio: Mono, all at `sampleRate`.
    /// - Throws: While iterating: ``MediaError`` `.decoderMissing`, `.damaged`; what the audio throws; `CancellationError`. Dropping the iterator ends
    ///   the child.
    public func encoded(_ audio: AudioStream, sampleRate: Int, as format: StreamFormat) -> ProducedSequence<[UInt8]> {
        let codec =
            switch format {
            case .mp3: ["-c:a", "libmp3lame", "-b:a", "64k", "-f", "mp3"]
            // A page a fifth of a second, so that a listener need not wait for a whole one.
            case .opus: ["-c:a", "libopus", "-b:a", "32k", "-application", "voip", "-page_duration", "200000", "-f", "ogg"]
            case .aac: ["-c:a", "aac", "-b:a", "64k", "-f", "adts"]
            case .flac: ["-c:a", "flac", "-sample_fmt", "s16", "-f", "flac"]
            }
        let request = Subprocess.Request(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-probesize", "32", "-f", "s16le", "-ar", "\(sampleRate)", "-ac", "1", "-i", "pipe:0", "-map_metadata", "-1"] + codec
                + ["-flush_packets", "1", "pipe:1"],
            input: .none, maximumOutput: .max, deadline: .seconds(12 * 3600), package: "ffmpeg")
        let samples = ProducedSequence<[UInt8]> { emit in
            for try await buffer in audio { try await emit(WAVFile.quantized(buffer.samples)) }
        }
        return ProducedSequence { emit in
            do {
                for try await bytes in Subprocess.stream(request, feeding: samples) { try await emit(bytes) }
            } catch let error as SubprocessError {
                let code: MediaError.Code = error.code == .notFound ? .decoderMissing : .damaged
                throw MediaError(code, "the speech could not be encoded: \(error.message)", cause: error)
            }
        }
    }
}
