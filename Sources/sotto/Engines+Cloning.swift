import Foundation
import SottoAudio
import SottoInstallationKey
import SottoKokoroSynthesizer
import SottoModelStore
import SottoObservability
import SottoSecrets
import SottoSpeakerEncoder
import SottoSpeechCache
import SottoSpeechEngines
import SottoVoices

extension Engines {
    static let speakerEncoderModel = "ge2e"

    var voiceFolder: VoiceFolder { VoiceFolder(path: places.voices) }

    /// This installation's own key, made when it is first needed.
    func installationKey() throws -> InstallationKey {
        try FileManager.default.createDirectory(atPath: places.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try InstallationKey(path: places.installationKey)
    }

    func speakerEncoder() async throws -> SpeakerEncoder {
        SpeakerEncoder(weights: try await modelStore().installed(Self.speakerEncoderModel).path("pretrained.pt"))
    }

    func voiceEnrolment() async throws -> VoiceEnrolment {
        VoiceEnrolment(encoder: try await speakerEncoder(), recognizer: try await recognizer().recognizer)
    }

    /// Makes the sentence that is to be read before a voice may be made, and keeps which one it was.
    func askConsent(for name: String, now: Date) throws -> ConsentSentence {
        var generator = SystemRandomNumberGenerator()
        let sentence = ConsentSentence(voice: name, made: now, using: &generator)
        try voiceFolder.ask(sentence)
        return sentence
    }

    /// Keeps a voice that was checked, with its recordings; its consent sentence is used up.
    func keep(_ voice: EnrolledVoice, sample: AudioBuffer, consent: AudioBuffer) throws {
        try voiceFolder.add(voice, sample: Data(try WAVFile.encode(sample)), consent: Data(try WAVFile.encode(consent)))
        try voiceFolder.forgetSentence(for: voice.name)
    }

    func voiceFitter() async throws -> VoiceFitter {
        guard let synthesizer = try await synthesizer() as? any StyleSynthesizing else {
            throw CommandError("this synthesizer speaks in no voices but its own")
        }
        guard let map = StyleMap.standard else { throw CommandError("the map of styles in this program is damaged; build it anew") }
        return VoiceFitter(synthesizer: synthesizer, encoder: try await speakerEncoder(), recognizer: try await recognizer().recognizer, map: map)
    }

    /// The voices that were made after people's and can be spoken with.
    func fittedVoices() -> [FittedVoice] {
        voiceFolder.voices { log.warning("a voice cannot be read and is left out: \($0)") }.compactMap { voice in
            guard let style = voice.style else { return nil }
            // By the number of tries as well: what an earlier style said is not this one's.
            let cache = FolderSpeechCache(path: speechFolder(of: voice) + "-\(style.tries)", limit: 32 << 20)
            return FittedVoice(voice: voice.synthesisVoice, style: style.values, cache: cache)
        }
    }

    private func speechFolder(of voice: EnrolledVoice) -> String { places.speech + "/voices/" + voice.id.uuidString }

    /// A voice in one file, signed by this installation.
    ///
    /// - Returns: The file, and the fingerprint of who signed it.
    func archive(of voice: EnrolledVoice) throws -> (bytes: [UInt8], fingerprint: String) {
        guard let sample = FileManager.default.contents(atPath: voiceFolder.sample(of: voice)),
            let consent = FileManager.default.contents(atPath: voiceFolder.consent(of: voice))
        else {
            throw CommandError("the recordings of \"\(voice.name)\" are missing; without them it cannot be handed on")
        }
        let key = try installationKey()
        return (try VoiceArchive.pack(voice, sample: [UInt8](sample), consent: [UInt8](consent), signer: key), key.fingerprint(of: key.publicKey))
    }

    /// Takes a voice that another installation handed on.
    ///
    /// - Parameter name: Instead of its own.
    /// - Returns: The voice, and the fingerprint of who signed it.
    /// - Throws: ``VoiceError``.
    func importVoice(_ bytes: [UInt8], as name: String?) throws -> (voice: EnrolledVoice, fingerprint: String) {
        let archive = try VoiceArchive(bytes, checker: try installationKey())
        // What is said to be recordings is read before it is kept.
        for recording in [archive.sample, archive.consent] { _ = try WAVFile(bytes: recording) }
        var voice = archive.voice
        voice.id = UUID()
        voice.name = name ?? voice.name
        voice.importedFrom = archive.fingerprint
        try voiceFolder.add(voice, sample: Data(archive.sample), consent: Data(archive.consent))
        return (voice, archive.fingerprint)
    }

    /// Deletes a voice with its recordings and everything that was said with it.
    func removeVoice(_ voice: EnrolledVoice) throws {
        try removeSpeech(of: voice)
        try voiceFolder.remove(voice)
        voiceFolder.sweep()
    }

    /// Deletes what a voice has said.
    private func removeSpeech(of voice: EnrolledVoice) throws {
        let folder = places.speech + "/voices"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(voice.id.uuidString) {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }
}

extension Context {
    /// The enrolled voice of a name; `nil` for a stock voice.
    ///
    /// - Throws: ``CommandError`` for one that cannot be spoken with yet: nothing takes its place.
    func enrolledVoice(_ name: String?) throws -> EnrolledVoice? {
        let wanted = name ?? settings.voice
        guard wanted.isEmpty == false, let voice = engines.voiceFolder.voices().first(where: { $0.name == wanted }) else { return nil }
        guard voice.style != nil else { throw CommandError("the voice \"\(wanted)\" is not fitted yet; do that with: sotto voices fit \(wanted)") }
        return voice
    }
}
