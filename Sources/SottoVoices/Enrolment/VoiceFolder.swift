public import Foundation
internal import Glibc

/// The enrolled voices on the disk: a folder for each, readable by its owner only.
///
/// `<id>/voice.json` and, in the same folder, `sample.wav`, `consent.wav` and, while a fit is on its way, `fit.json`. A voice appears by the rename
/// of its
/// whole folder and a file by its own, so an interruption leaves the old or the new. Asked consents stand in `consents.json`.
public struct VoiceFolder: Sendable {
    public let path: String
    private static let largestFile = 64 << 20

    public init(path: String) { self.path = path }

    /// All voices, by name.
    ///
    /// - Parameter damaged: Told of folders that cannot be read; they are left out.
    public func voices(damaged: (String) -> Void = { _ in }) -> [EnrolledVoice] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { UUID(uuidString: $0) != nil }.sorted().compactMap { name in
            do {
                return try read(name)
            } catch {
                damaged("\(path)/\(name): \(error)")
                return nil
            }
        }.sorted { ($0.name, $0.created) < ($1.name, $1.created) }
    }

    /// - Throws: ``VoiceError`` `.unknown`.
    public func voice(named name: String) throws(VoiceError) -> EnrolledVoice {
        let all = voices()
        guard let voice = all.first(where: { $0.name == name }) else {
            let known = all.isEmpty ? "none has been added yet" : "there are: \(all.map(\.name).joined(separator: ", "))"
            throw VoiceError(.unknown, "there is no voice \"\(name)\" that was made after a person's; \(known)")
        }
        return voice
    }

    public func folder(of voice: EnrolledVoice) -> String { path + "/" + voice.id.uuidString }
    public func sample(of voice: EnrolledVoice) -> String { folder(of: voice) + "/sample.wav" }
    public func consent(of voice: EnrolledVoice) -> String { folder(of: voice) + "/consent.wav" }
    /// How far its fit is.
    public func fit(of voice: EnrolledVoice) -> String { folder(of: voice) + "/fit.json" }

    /// Adds a voice: all of it or nothing.
    ///
    /// - Throws: ``VoiceError`` `.name` when another has its name; `.notWritable`.
    public func add(_ voice: EnrolledVoice, sample: Data, consent: Data) throws(VoiceError) {
        try EnrolledVoice.check(name: voice.name)
        if voices().contains(where: { $0.name == voice.name }) {
            throw VoiceError(.name, "there is a voice \"\(voice.name)\" already; take another name, or remove it: sotto voices remove \(voice.name)")
        }
        let part = path + "/.adding-" + voice.id.uuidString
        do {
            try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Self.write(Self.encoded(voice), to: part + "/voice.json")
            try Self.write(sample, to: part + "/sample.wav")
            try Self.write(consent, to: part + "/consent.wav")
            guard unsafe rename(part, folder(of: voice)) == 0 else {
                throw VoiceError(.notWritable, "\(path) cannot be written; check who owns it and its space")
            }
        } catch let error as VoiceError {
            try? FileManager.default.removeItem(atPath: part)
            throw error
        } catch {
            try? FileManager.default.removeItem(atPath: part)
            throw VoiceError(.notWritable, "\(path) cannot be written; check who owns it and its space", cause: error)
        }
    }

    /// Writes what is known of a voice anew. One that was removed meanwhile stays removed.
    public func update(_ voice: EnrolledVoice) throws(VoiceError) {
        guard FileManager.default.fileExists(atPath: folder(of: voice)) else { throw VoiceError(.unknown, "the voice \"\(voice.name)\" was removed") }
        try Self.write(try Self.encoded(voice), to: folder(of: voice) + "/voice.json")
    }

    /// Keeps how far a fit is.
    public func save(_ progress: FitProgress, of voice: EnrolledVoice) throws(VoiceError) {
        guard FileManager.default.fileExists(atPath: folder(of: voice)) else { throw VoiceError(.unknown, "the voice \"\(voice.name)\" was removed") }
        let data: Data
        do { data = try Self.encoder.encode(progress) } catch { throw VoiceError(.damaged, "the fit of \"\(voice.name)\" holds what cannot be written", cause: error) }
        try Self.write(data, to: fit(of: voice))
    }

    /// Deletes a voice with everything that was kept of it here.
    public func remove(_ voice: EnrolledVoice) throws(VoiceError) {
        // Out of the list first, so that half a deletion is none of a voice any more.
        let grave = path + "/.removing-" + voice.id.uuidString
        do {
            if FileManager.default.fileExists(atPath: folder(of: voice)), unsafe rename(folder(of: voice), grave) != 0 {
                throw VoiceError(.notWritable, "\(folder(of: voice)) cannot be removed; check who owns it")
            }
            if FileManager.default.fileExists(atPath: grave) { try FileManager.default.removeItem(atPath: grave) }
        } catch let error as VoiceError {
            throw error
        } catch {
            throw VoiceError(.notWritable, "\(grave) cannot be removed; check who owns it", cause: error)
        }
    }

    /// Deletes what interrupted additions and removals left.
    public func sweep() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where name.hasPrefix(".adding-") || name.hasPrefix(".removing-") {
            try? FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    // MARK: Consents that were asked for

    /// Keeps a sentence that somebody was shown; it takes the place of an earlier one for the same voice.
    public func ask(_ sentence: ConsentSentence) throws(VoiceError) {
        var asked = self.asked().filter { $0.voice != sentence.voice && sentence.made.timeIntervalSince($0.made) <= ConsentSentence.lifetime }
        asked.append(sentence)
        try write(asked)
    }

    /// The sentence that was last shown for a voice.
    public func askedSentence(for voice: String) -> ConsentSentence? { asked().last { $0.voice == voice } }

    /// A sentence is used once.
    public func forgetSentence(for voice: String) throws(VoiceError) { try write(asked().filter { $0.voice != voice }) }

    private func asked() -> [ConsentSentence] {
        guard let data = FileManager.default.contents(atPath: path + "/consents.json") else { return [] }
        return (try? Self.decoder.decode([ConsentSentence].self, from: data)) ?? []
    }

    private func write(_ asked: [ConsentSentence]) throws(VoiceError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Self.write(try Self.encoder.encode(asked), to: path + "/consents.json")
        } catch let error as VoiceError {
            throw error
        } catch {
            throw VoiceError(.notWritable, "\(path) cannot be written; check who owns it and its space", cause: error)
        }
    }

    // MARK: Files

    private func read(_ name: String) throws -> EnrolledVoice {
        guard let data = FileManager.default.contents(atPath: path + "/" + name + "/voice.json"), data.count <= Self.largestFile else {
            throw VoiceError(.damaged, "its record is missing")
        }
        return try Self.decoded(data)
    }

    static func encoded(_ voice: EnrolledVoice) throws(VoiceError) -> Data {
        do { return try encoder.encode(voice) } catch { throw VoiceError(.damaged, "the voice \"\(voice.name)\" holds what cannot be written", cause: error) }
    }

    static func decoded(_ data: Data) throws(VoiceError) -> EnrolledVoice {
        do {
            let voice = try decoder.decode(EnrolledVoice.self, from: data)
            guard voice.schemaVersion == EnrolledVoice.currentSchema else {
                throw VoiceError(.damaged, "it was written by another version of Sotto (schema \(voice.schemaVersion))")
            }
            return voice
        } catch let error as VoiceError {
            throw error
        } catch {
            throw VoiceError(.damaged, "its record cannot be read", cause: error)
        }
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// Writes a file whole, for its owner only, and durably: it takes its name when it is on the disk.
    static func write(_ data: Data, to path: String) throws(VoiceError) {
        let part = path + ".new"
        let descriptor = unsafe open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw VoiceError(.notWritable, "\(path) cannot be written; check who owns its folder") }
        var written = 0
        while written < data.count {
            let count = unsafe data.withUnsafeBytes { bytes in unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        let isKept = written == data.count && fdatasync(descriptor) == 0
        _ = close(descriptor)
        guard isKept, unsafe rename(part, path) == 0 else {
            _ = unsafe unlink(part)
            throw VoiceError(.notWritable, "\(path) cannot be written; free some space, or check who owns its folder")
        }
    }
}
