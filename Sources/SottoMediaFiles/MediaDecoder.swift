internal import Foundation
public import SottoAudio
public import SottoSpeechEngines
public import SottoStreams
internal import SottoSubprocess

/// Decodes the first audio track of any accepted audio or video file to mono samples, through ffmpeg in a child process.
///
/// ```swift
/// let decoder = MediaDecoder(sampleRate: 16_000)
/// for try await buffer in decoder.audio(ofFile: "talk.webm") { … }
/// ```
/// The file is the child's standard input: it learns no name, may open no other file or address (`-protocol_whitelist`),
/// and has limits on memory, processor time and output. The containers whose index may stand at the end are read through
/// `/proc/self/fd/0`, so that the decoder can go back; their demuxers are fixed, and references to other files switched off.
public struct MediaDecoder: Sendable {
    /// Bounds on what a file may cost.
    public struct Limits: Sendable {
        /// The longest recording, in seconds; more is ``MediaError/Code/limitReached`` after that much was delivered.
        public var seconds: Double
        /// Address space of the child, in bytes.
        public var memory: Int
        /// Processor time of the child, in seconds.
        public var processorTime: Int

        public init(seconds: Double = 12 * 3600, memory: Int = 2 << 30, processorTime: Int = 1800) {
            self.seconds = seconds
            self.memory = memory
            self.processorTime = processorTime
        }
    }

    /// Of what comes out, in hertz.
    public let sampleRate: Int
    private let limits: Limits

    /// - Parameter sampleRate: Of what comes out, in hertz; the file may have any.
    public init(sampleRate: Int, limits: Limits = Limits()) {
        self.sampleRate = sampleRate
        self.limits = limits
    }

    /// The audio of a file, decoded while it is read.
    ///
    /// - Throws: While iterating: ``MediaError``; `CancellationError`. Dropping the iterator stops the child.
    public func audio(ofFile path: String) -> AudioStream {
        AudioStream { emit in
            try await decode(.file(path), prefix: try Self.prefix(ofFile: path), name: URL(filePath: path).lastPathComponent, emit)
        }
    }

    /// The audio of a file that is already in memory.
    ///
    /// - Parameter name: What messages call it.
    public func audio(of bytes: [UInt8], name: String = "the input") -> AudioStream {
        AudioStream { emit in
            guard bytes.isEmpty == false else { throw MediaError(.empty, "\(name) is empty; there is nothing to hear") }
            try await decode(.bytes(bytes), prefix: Array(bytes.prefix(MediaFormat.prefixLength)), name: name, emit)
        }
    }

    /// The audio of a file that arrives bit by bit and may never be whole: of a pipe, for example. Memory stays flat, and what has arrived
    /// is decoded at once; formats whose index may stand at the end are kept in a private file until they are whole.
    ///
    /// - Parameter name: What messages call it.
    public func audio(ofChunks chunks: ProducedSequence<[UInt8]>, name: String = "the input") -> AudioStream {
        AudioStream { emit in
            // The iterator crosses from the look at the first bytes to the task that feeds the decoder.
            let arriving = Arriving(chunks)
            let prefix = try await arriving.peek(MediaFormat.prefixLength)
            guard prefix.isEmpty == false else { throw MediaError(.empty, "\(name) is empty; there is nothing to hear") }
            let rest = ProducedSequence<[UInt8]> { emit in while let chunk = try await arriving.next() { try await emit(chunk) } }
            try await decode(.none, feeding: rest, prefix: prefix, name: name, emit)
        }
    }

    /// The length that a file says it has, in seconds; `nil` when it says none. For progress only: it may be wrong.
    public func duration(ofFile path: String) async -> Double? {
        guard let prefix = try? Self.prefix(ofFile: path), let format = MediaFormat.sniff(prefix) else { return nil }
        // The length may stand at the end whatever the format, so the file is read through a name that can be gone back in.
        let source = ["-protocol_whitelist", "file", "-i", "file:/proc/self/fd/0"]
        let request = Subprocess.Request(
            "ffprobe", ["-v", "error", "-f", format.demuxer] + source + ["-show_entries", "format=duration", "-of", "csv=p=0"],
            input: .file(path), maximumOutput: 1 << 10, deadline: .seconds(20), memoryLimit: limits.memory, package: "ffmpeg")
        guard let output = try? await Subprocess.run(request).checked() else { return nil }
        let seconds = Double(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        return seconds.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }

    /// The whole recording at once.
    ///
    /// - Throws: ``MediaError``; `CancellationError`.
    public func read(_ path: String) async throws -> AudioBuffer {
        var samples: [Float] = []
        for try await buffer in audio(ofFile: path) { samples += buffer.samples }
        return AudioBuffer(samples: samples, sampleRate: sampleRate)
    }

    private static func prefix(ofFile path: String) throws(MediaError) -> [UInt8] {
        let name = URL(filePath: path).lastPathComponent
        // Asked before opening: to open a pipe would wait for its writer.
        guard let type = try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path)[.type],
            let type = type as? FileAttributeType
        else {
            throw MediaError(.unreadable, "\(name) does not exist or may not be read; check the path")
        }
        guard type == .typeRegular else { throw MediaError(.unreadable, "\(name) is not a plain file") }
        do {
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? handle.close() }
            let bytes = [UInt8](try handle.read(upToCount: MediaFormat.prefixLength) ?? Data())
            guard bytes.isEmpty == false else { throw MediaError(.empty, "\(name) is empty; there is nothing to hear") }
            return bytes
        } catch let error as MediaError {
            throw error
        } catch {
            throw MediaError(.unreadable, "\(name) may not be read; check its permissions", cause: error)
        }
    }

    private func decode(
        _ input: Subprocess.Input, feeding chunks: ProducedSequence<[UInt8]>? = nil, prefix: [UInt8], name: String,
        _ emit: @Sendable (AudioBuffer) async throws -> Void
    ) async throws {
        guard let format = MediaFormat.sniff(prefix) else {
            throw MediaError(.unknownFormat, "\(name) is not an audio or video file of a known format")
        }
        var input = input
        var spool: String?
        defer { if let spool { try? FileManager.default.removeItem(atPath: spool) } }
        var chunks = chunks
        if format.needsSeeking, input.isFile == false {
            // Only a file can be gone back in; ours, private, and removed when the decoder ends.
            let path = FileManager.default.temporaryDirectory.appending(path: "sotto-\(UUID().uuidString)").path
            let noRoom = MediaError(.unreadable, "no room to unpack \(name); free some space in \(FileManager.default.temporaryDirectory.path)")
            var bytes: [UInt8] = []
            if case .bytes(let given) = input { bytes = given }
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]) else { throw noRoom }
            spool = path
            input = .file(path)
            if let arriving = chunks {
                guard let file = FileHandle(forWritingAtPath: path) else { throw noRoom }
                defer { try? file.close() }
                for try await chunk in arriving {
                    do { try file.write(contentsOf: Data(chunk)) } catch { throw noRoom }
                }
                chunks = nil
            }
        }
        let source: [String] =
            switch format {
            case .mp4: ["-protocol_whitelist", "file", "-enable_drefs", "0", "-use_absolute_path", "0", "-f", "mov", "-i", "file:/proc/self/fd/0"]
            case _ where format.needsSeeking: ["-protocol_whitelist", "file", "-f", format.demuxer, "-i", "file:/proc/self/fd/0"]
            // What arrives bit by bit is to be heard at once.
            case _ where chunks != nil: ["-protocol_whitelist", "pipe", "-probesize", "4096", "-analyzeduration", "0", "-f", format.demuxer, "-i", "pipe:0"]
            default: ["-protocol_whitelist", "pipe", "-f", format.demuxer, "-i", "pipe:0"]
            }
        let request = Subprocess.Request(
            "ffmpeg",
            ["-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1"] + source + [
                "-map", "0:a:0", "-vn", "-sn", "-dn",
                "-af", "aresample=resampler=soxr", "-ac", "1", "-ar", "\(sampleRate)", "-c:a", "pcm_f32le", "-f", "f32le", "pipe:1",
            ],
            input: input, maximumOutput: .max, memoryLimit: limits.memory, processorTimeLimit: limits.processorTime, package: "ffmpeg")
        let most = Int(limits.seconds * Double(sampleRate))
        var delivered = 0
        var pending: [UInt8] = []
        do {
            for try await chunk in Subprocess.stream(request, feeding: chunks) {
                pending += chunk
                let whole = min(pending.count / 4, most - delivered)
                guard whole > 0 else { continue }
                var samples: [Float] = []
                samples.reserveCapacity(whole)
                for index in 0..<whole {
                    let at = index * 4
                    let bits =
                        UInt32(pending[at]) | UInt32(pending[at + 1]) << 8 | UInt32(pending[at + 2]) << 16 | UInt32(pending[at + 3]) << 24
                    let value = Float(bitPattern: bits)
                    samples.append(value.isFinite ? value : 0)
                }
                pending.removeFirst(whole * 4)
                delivered += whole
                try await emit(AudioBuffer(samples: samples, sampleRate: sampleRate))
                if delivered == most, pending.count >= 4 {
                    throw MediaError(.limitReached, "\(name) is longer than \(limits.seconds) seconds; the rest was left out")
                }
            }
        } catch let error as SubprocessError {
            throw failure(error, name: name, delivered: delivered)
        }
        if delivered == 0 { throw MediaError(.damaged, "\(name) holds no audio that can be decoded; it may be cut short or damaged") }
    }

    private func failure(_ error: SubprocessError, name: String, delivered: Int) -> MediaError {
        if error.code == .notFound { return MediaError(.decoderMissing, error.message, cause: error) }
        if error.message.contains("matches no streams") || error.errorLines.contains(where: { $0.contains("matches no streams") }) {
            return MediaError(.noSound, "\(name) has no audio track", cause: error)
        }
        if error.message.contains("signal 24") || error.message.contains("signal 9") {
            return MediaError(.limitReached, "\(name) took more than \(limits.processorTime) seconds to decode; it was given up", cause: error)
        }
        let seconds = Double(delivered * 10 / sampleRate) / 10
        let part = delivered == 0 ? "it may be cut short or damaged" : "only its first \(seconds) seconds could be decoded"
        return MediaError(.damaged, "\(name) cannot be decoded: \(part)", cause: error)
    }
}

extension Subprocess.Input {
    fileprivate var isFile: Bool { if case .file = self { true } else { false } }
}

/// Bytes that arrive in pieces, of which the first can be looked at beforehand. One reader at a time.
private actor Arriving {
    private var iterator: ProducedSequence<[UInt8]>.Iterator
    private var seen: [UInt8]?

    init(_ chunks: ProducedSequence<[UInt8]>) { iterator = chunks.makeAsyncIterator() }

    /// The first `count` bytes, or all when there are fewer. They come again with ``next()``.
    func peek(_ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let chunk = try await take() { bytes += chunk }
        seen = bytes
        return Array(bytes.prefix(count))
    }

    func next() async throws -> [UInt8]? {
        if let first = seen {
            seen = nil
            if first.isEmpty == false { return first }
        }
        return try await take()
    }

    private func take() async throws -> [UInt8]? {
        // Taken out while it waits, for an actor may be entered again; there is one reader, so nobody misses it.
        var current = iterator
        let chunk = try await current.next()
        iterator = current
        return chunk
    }
}
