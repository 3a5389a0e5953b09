public import Foundation

/// The takes on the disk: a folder each, with `audio.wav` and `take.json`, for the owner's eyes only.
///
/// Several processes may use one store: a take that is being recorded is locked by its recorder, and whoever finds an unfinished one
/// that nobody has locked recovers it. Every call blocks for as long as the disk takes.
public struct TakeStore: Sendable {
    private let folder: String
    private static let sampleRate = 16_000

    /// - Parameter folder: Made when the first take is.
    public init(folder: String) {
        self.folder = folder
    }

    /// Begins a take.
    ///
    /// - Parameter sampleRate: Of what will be appended, in hertz.
    /// - Throws: ``TakeError`` `.notWritable`, `.diskFull`.
    public func begin(sampleRate: Int = 16_000, now: Date = Date()) throws(TakeError) -> TakeRecorder {
        let id = Self.identifier(now)
        let place = "\(folder)/\(id)"
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw TakeError(.notWritable, "takes cannot be kept in \(folder): \(error.localizedDescription)")
        }
        guard let file = try LockedFile.open(place + "/audio.wav", create: true) else {
            throw TakeError(.inUse, "the take \(id) is being recorded already")
        }
        let take = Take(id: id, started: now, state: .recording)
        let recorder = try TakeRecorder(take: take, store: self, file: file, sampleRate: sampleRate)
        try write(take)
        return recorder
    }

    /// All takes, newest first. Those whose recorder died are recovered; what cannot be read is left out.
    public func list() -> [Take] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted(by: >).compactMap { name in (try? take(name)).flatMap { $0 } }
    }

    /// One take, recovered if its recorder died.
    ///
    /// - Throws: ``TakeError`` `.notFound`.
    public func take(_ id: String) throws(TakeError) -> Take {
        let place = try place(id)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let facts = FileManager.default.contents(atPath: place + "/take.json").flatMap { try? decoder.decode(Take.self, from: $0) }
        if let facts, facts.state != .recording { return facts }
        guard let file = try LockedFile.open(place + "/audio.wav", create: false) else {
            // Its recorder lives.
            return facts ?? Take(id: id, started: Self.date(id), state: .recording)
        }
        var take = facts ?? Take(id: id, started: Self.date(id), state: .recovered)
        let frames = max(0, file.size - TakeRecorder.headerBytes) / 2
        // The rate stands in the header that was written first.
        let rate = Self.rate(
            ofHeader: FileHandle(forReadingAtPath: place + "/audio.wav").flatMap { try? $0.read(upToCount: TakeRecorder.headerBytes) })
        file.setSize(TakeRecorder.headerBytes + frames * 2)
        try file.write(TakeRecorder.header(frames: frames, sampleRate: rate), at: 0)
        file.synchronize()
        take.state = .recovered
        take.seconds = Double(frames) / Double(rate)
        try write(take)
        return take
    }

    /// The path of a take's audio.
    ///
    /// - Throws: ``TakeError`` `.notFound`.
    public func audio(of id: String) throws(TakeError) -> String { try place(id) + "/audio.wav" }

    /// Notes what was heard in a take: its segments, joined by spaces.
    ///
    /// - Throws: ``TakeError``.
    public func setText(_ segments: [Take.Segment], recognizer: String, of id: String) throws(TakeError) {
        var take = try take(id)
        guard take.state != .recording else { throw TakeError(.inUse, "the take \(id) is still being recorded") }
        take.text = segments.map(\.text).joined(separator: " ")
        take.segments = segments
        take.pending = nil
        take.recognizer = recognizer
        try write(take)
    }

    /// Notes that a take is to be recognized, and how often that was begun; `nil` takes the promise back.
    ///
    /// - Throws: ``TakeError``.
    public func setPending(_ pending: Take.Pending?, of id: String) throws(TakeError) {
        var take = try take(id)
        guard take.state != .recording else { throw TakeError(.inUse, "the take \(id) is still being recorded") }
        take.pending = pending
        try write(take)
    }

    /// Removes a take.
    ///
    /// - Throws: ``TakeError`` `.notFound`, `.inUse` while it is being recorded, `.notWritable`.
    public func remove(_ id: String) throws(TakeError) {
        guard try take(id).state != .recording else { throw TakeError(.inUse, "the take \(id) is being recorded; stop it first: sotto dictate stop") }
        do { try FileManager.default.removeItem(atPath: try place(id)) } catch {
            throw TakeError(.notWritable, "the take \(id) cannot be removed: \(error.localizedDescription)")
        }
    }

    /// Removes what was begun before a moment.
    ///
    /// - Returns: How many takes went.
    @discardableResult
    public func removeAll(startedBefore moment: Date) -> Int {
        list().count { take in take.state != .recording && take.started < moment && (try? remove(take.id)) != nil }
    }

    func write(_ take: Take) throws(TakeError) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let path = "\(folder)/\(take.id)/take.json"
        do {
            let data = try encoder.encode(take)
            // Whole or not at all: a crash while it is written loses the facts, but not the take.
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw TakeError(.notWritable, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// A name is only ever one of ours: it leads nowhere else.
    private func place(_ id: String) throws(TakeError) -> String {
        let isName = id.isEmpty == false && id.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || $0 == 45 }
        guard isName, FileManager.default.fileExists(atPath: "\(folder)/\(id)/audio.wav") else {
            throw TakeError(.notFound, "there is no take \"\(id)\"; see: sotto takes list")
        }
        return "\(folder)/\(id)"
    }

    /// How a take's name begins: when it began, in UTC.
    private static func nameFormatter() -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        return formatter
    }

    private static func identifier(_ now: Date) -> String {
        // Milliseconds keep the order within a second, the rest keeps two processes apart.
        let milliseconds = Int(now.timeIntervalSince1970 * 1000) % 1000
        let number = String(milliseconds + 1000).dropFirst()
        return "\(nameFormatter().string(from: now))-\(number)\(String(UInt16.random(in: .min ... .max), radix: 36))"
    }

    private static func date(_ id: String) -> Date {
        nameFormatter().date(from: String(id.prefix(15))) ?? Date(timeIntervalSince1970: 0)
    }

    private static func rate(ofHeader bytes: Data?) -> Int {
        guard let bytes = bytes.map({ [UInt8]($0) }), bytes.count >= 28, bytes.starts(with: "RIFF".utf8) else { return sampleRate }
        let rate = (0..<4).reduce(0) { $0 | Int(bytes[24 + $1]) << (8 * $1) }
        return (1000...384_000).contains(rate) ? rate : sampleRate
    }
}
