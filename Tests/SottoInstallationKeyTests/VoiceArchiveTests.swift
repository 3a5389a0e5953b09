import Foundation
import SottoSecrets
import SottoVoices
import SottoAudio
import Testing

@testable import SottoInstallationKey

@Suite struct VoiceArchiveTests {
    private static let key: InstallationKey? = try? InstallationKey(secret: [UInt8](repeating: 7, count: 32))
    private static let reader: InstallationKey? = try? InstallationKey(secret: [UInt8](repeating: 9, count: 32))
    private static let quality = SampleQuality(AudioBuffer(samples: [0, 0.1], sampleRate: 16_000))

    private static func voice(style: [Float]? = [0.5, -1]) -> EnrolledVoice {
        EnrolledVoice(
            id: UUID(), name: "anna", language: "en", created: Date(timeIntervalSince1970: 1_800_000_000), words: "Words.", heard: "words", quality: quality,
            consent: .init(sentence: "I allow", heard: "i allow", given: Date(timeIntervalSince1970: 1_800_000_000), likeness: 0.9), state: .ready,
            style: style.map { .init(values: $0, likeness: 0.8, tries: 10) })
    }

    @Test("comes back whole, with the signer's fingerprint")
    func roundTrip() throws {
        let (key, reader) = (try #require(Self.key), try #require(Self.reader))
        let voice = Self.voice()
        let archive = try VoiceArchive(VoiceArchive.pack(voice, sample: [1, 2, 3], consent: [4, 5], signer: key), checker: reader)
        #expect(archive.voice == voice && archive.sample == [1, 2, 3] && archive.consent == [4, 5])
        #expect(archive.fingerprint == key.fingerprint(of: key.publicKey) && archive.fingerprint != key.fingerprint(of: reader.publicKey))
    }

    @Test("every byte counts: none can be changed, taken away or added")
    func damage() throws {
        let (key, reader) = (try #require(Self.key), try #require(Self.reader))
        let bytes = try VoiceArchive.pack(Self.voice(), sample: [1, 2, 3], consent: [4, 5], signer: key)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: VoiceError.self, "byte \(index)") { try VoiceArchive(changed, checker: reader) }
        }
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: VoiceError.self) { try VoiceArchive(Array(bytes.prefix(count)), checker: reader) }
        }
        #expect(throws: VoiceError.self) { try VoiceArchive(bytes + [0], checker: reader) }
    }

    @Test("a voice without a style, or with one that is no style, is none")
    func styles() throws {
        let (key, reader) = (try #require(Self.key), try #require(Self.reader))
        for style in [nil, [Float(1000)]] as [[Float]?] {
            let bytes = try VoiceArchive.pack(Self.voice(style: style), sample: [], consent: [], signer: key)
            #expect(throws: VoiceError.self) { try VoiceArchive(bytes, checker: reader) }
        }
    }
}
