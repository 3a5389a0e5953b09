internal import CCrypto
internal import Foundation
public import SottoAudio
public import SottoSpeechEngines
internal import SottoStreams

/// Keeps speech in a folder: one file a piece, the least recently used go when it grows beyond its limit.
///
/// ```swift
/// let cache = FolderSpeechCache(path: places.cache + "/speech", limit: 128 << 20)
/// ```
/// Names are digests, so the folder's listing tells nobody what was said; files are readable by their owner only. A file that is damaged is
/// removed and counts as missing. Errors of the disk are no errors here: what cannot be kept is made again.
///
/// A file holds the eight bytes `SOTTOSP1`, the rate in hertz (UInt32, little-endian), 16-bit little-endian samples, and the SHA-256 of all that.
public actor FolderSpeechCache: SpeechCache {
    private let executor = BlockingExecutor(label: "sotto.speech-cache")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private static let magic = Array("SOTTOSP1".utf8)
    private static let suffix = ".speech"
    private let path: String
    private let limit: Int
    /// Sizes by name in the order of use, read from the folder once.
    private var files: [String: (bytes: Int, used: Int)]?
    private var uses = 0

    /// - Parameters:
    ///   - path: The folder; made when something is kept.
    ///   - limit: The most bytes of all files together.
    public init(path: String, limit: Int = 128 << 20) {
        self.path = path
        self.limit = max(0, limit)
    }

    public func speech(for key: SpeechKey) -> AudioBuffer? {
        let name = Self.name(of: key)
        guard listed()[name] != nil else { return nil }
        let file = path + "/" + name
        guard let bytes = FileManager.default.contents(atPath: file), let speech = Self.decoded([UInt8](bytes)) else {
            remove(name)
            return nil
        }
        use(name, bytes: bytes.count)
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file)
        return speech
    }

    public func keep(_ speech: AudioBuffer, for key: SpeechKey) {
        let bytes = Self.encoded(speech)
        guard bytes.count <= limit / 4 else { return }
        _ = listed()
        let name = Self.name(of: key)
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let part = path + "/." + UUID().uuidString
            guard FileManager.default.createFile(atPath: part, contents: Data(bytes), attributes: [.posixPermissions: 0o600]) else { return }
            defer { try? FileManager.default.removeItem(atPath: part) }
            guard unsafe rename(part, path + "/" + name) == 0 else { return }
        } catch {
            return
        }
        use(name, bytes: bytes.count)
        var total = (files ?? [:]).values.reduce(0) { $0 + $1.bytes }
        for (oldest, file) in (files ?? [:]).sorted(by: { $0.value.used < $1.value.used }) where total > limit {
            remove(oldest)
            total -= file.bytes
        }
    }

    /// Removes everything that was kept.
    public func clear() {
        for name in listed().keys { remove(name) }
    }

    private func use(_ name: String, bytes: Int) {
        uses += 1
        files?[name] = (bytes, uses)
    }

    private func remove(_ name: String) {
        files?[name] = nil
        try? FileManager.default.removeItem(atPath: path + "/" + name)
    }

    private func listed() -> [String: (bytes: Int, used: Int)] {
        if let files { return files }
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        let found = (try? FileManager.default.contentsOfDirectory(at: URL(filePath: path), includingPropertiesForKeys: Array(keys))) ?? []
        let speech = found.filter { $0.lastPathComponent.hasSuffix(Self.suffix) }.compactMap { file -> (String, Int, Date)? in
            guard let values = try? file.resourceValues(forKeys: keys), let size = values.fileSize else { return nil }
            return (file.lastPathComponent, size, values.contentModificationDate ?? .distantPast)
        }
        var listed: [String: (bytes: Int, used: Int)] = [:]
        for (name, size, _) in speech.sorted(by: { $0.2 < $1.2 }) {
            uses += 1
            listed[name] = (size, uses)
        }
        files = listed
        return listed
    }

    private static func name(of key: SpeechKey) -> String {
        let text = [key.model, key.voice, String(key.speed.bitPattern), key.text].joined(separator: "\u{0}")
        return digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + suffix
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        let isDone = unsafe bytes.withUnsafeBytes { input in
            unsafe result.withUnsafeMutableBufferPointer { output in unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, EVP_sha256(), nil) }
        }
        precondition(isDone == 1, "OpenSSL has no SHA-256")
        return result
    }

    static func encoded(_ speech: AudioBuffer) -> [UInt8] {
        var bytes = magic
        bytes.reserveCapacity(speech.samples.count * 2 + 44)
        let rate = UInt32(clamping: speech.sampleRate)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: rate >> shift)) }
        for sample in speech.samples {
            let value = Int16((min(max(sample.isNaN ? 0 : sample, -1), 1) * 32_767).rounded())
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return bytes + digest(bytes)
    }

    static func decoded(_ bytes: [UInt8]) -> AudioBuffer? {
        guard bytes.count >= magic.count + 4 + 32, bytes.count.isMultiple(of: 2), bytes.starts(with: magic) else { return nil }
        let end = bytes.count - 32
        guard digest(Array(bytes[..<end])) == Array(bytes[end...]) else { return nil }
        let rate = (0..<4).reduce(0) { $0 | Int(bytes[magic.count + $1]) << (8 * $1) }
        guard rate > 0 else { return nil }
        let samples = stride(from: magic.count + 4, to: end, by: 2).map { at in
            Float(Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8)) / 32_767
        }
        return AudioBuffer(samples: samples, sampleRate: rate)
    }
}
