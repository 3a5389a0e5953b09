internal import Foundation
public import SottoSecrets

/// A voice in one file, signed by the installation that made the file.
///
/// The bytes `SOTTOVC1`; the length of the contents as a little-endian UInt32; the contents, JSON with the record and every file's length and
/// SHA-256;
/// 32 bytes of the signer's Ed25519 key; 64 of its signature over all before the key; then the files one after the other. Nothing may follow.
public struct VoiceArchive: Sendable, Equatable {
    public var voice: EnrolledVoice
    /// WAV files.
    public var sample: [UInt8]
    public var consent: [UInt8]
    /// Who signed it; compare it with what the sender says.
    public private(set) var fingerprint: String

    /// Larger than this, and it is no voice.
    public static let largest = 128 << 20
    private static let magic = Array("SOTTOVC1".utf8)

    private struct Contents: Codable {
        var voice: EnrolledVoice
        var files: [Entry]

        struct Entry: Codable {
            var name: String
            var bytes: Int
            var sha256: String
        }
    }

    /// - Throws: ``VoiceError``, and what the signer throws.
    public static func pack(_ voice: EnrolledVoice, sample: [UInt8], consent: [UInt8], signer: any Signing) throws -> [UInt8] {
        func entry(_ name: String, _ bytes: [UInt8]) -> Contents.Entry { .init(name: name, bytes: bytes.count, sha256: hex(signer.digest(bytes))) }
        var voice = voice
        voice.importedFrom = nil
        let contents = [UInt8](try VoiceFolder.encoder.encode(Contents(voice: voice, files: [entry("sample.wav", sample), entry("consent.wav", consent)])))
        var bytes = magic
        let length = UInt32(contents.count)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        bytes += contents
        return bytes + signer.publicKey + (try signer.signature(of: bytes)) + sample + consent
    }

    /// Reads and checks all of it.
    ///
    /// - Throws: ``VoiceError`` `.damaged`.
    public init(_ bytes: [UInt8], checker: any Signing) throws(VoiceError) {
        func damaged(_ what: String) -> VoiceError { VoiceError(.damaged, "this is not a voice that Sotto exported, or it is damaged: \(what); ask for it again") }
        guard bytes.count <= Self.largest, bytes.count > 12, bytes.starts(with: Self.magic) else { throw damaged("it does not begin as one") }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[8 + $1]) << (8 * $1) }
        let signed = 12 + length
        guard signed + 96 <= bytes.count else { throw damaged("it ends too soon") }
        let key = Array(bytes[signed..<(signed + 32)])
        guard checker.verifies(Array(bytes[(signed + 32)..<(signed + 96)]), of: Array(bytes[..<signed]), key: key) else {
            throw damaged("its signature does not fit its contents")
        }
        let contents: Contents
        do { contents = try VoiceFolder.decoder.decode(Contents.self, from: Data(bytes[12..<signed])) } catch { throw damaged("its contents cannot be read") }
        guard contents.voice.schemaVersion == EnrolledVoice.currentSchema else {
            throw VoiceError(.damaged, "this voice was exported by another version of Sotto (schema \(contents.voice.schemaVersion)); update the older of both")
        }
        guard contents.files.map(\.name) == ["sample.wav", "consent.wav"], contents.files.allSatisfy({ $0.bytes >= 0 && $0.bytes <= Self.largest }),
            contents.files.reduce(signed + 96, { $0 + $1.bytes }) == bytes.count
        else { throw damaged("its files are not those that it lists") }
        var position = signed + 96
        var files: [[UInt8]] = []
        for file in contents.files {
            let part = Array(bytes[position..<(position + file.bytes)])
            guard Self.hex(checker.digest(part)) == file.sha256 else { throw damaged("\(file.name) is not what was signed") }
            files.append(part)
            position += file.bytes
        }
        try EnrolledVoice.check(name: contents.voice.name)
        guard let style = contents.voice.style, style.values.allSatisfy({ $0.isFinite && abs($0) < 100 }) else {
            throw damaged("it has no style that can be spoken with")
        }
        voice = contents.voice
        sample = files[0]
        consent = files[1]
        fingerprint = checker.fingerprint(of: key)
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
