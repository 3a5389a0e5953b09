import Foundation
import SottoAgents
import SottoAudio
import SottoHTTPServer
import SottoJobStore
import SottoKokoroSynthesizer
import SottoMediaFiles
import SottoModelStore
import SottoServing
import SottoSpeechEngines
import SottoSpeechService
import SottoStreams
import SottoText
import SottoVoices

extension App {
    /// Bytes of one recording of a person, in any format.
    private static let recordingBytes = 32 << 20
    private static let recordings = BodyRule(
        maximumBytes: recordingBytes,
        contentTypes: [
            "audio/wav", "audio/x-wav", "audio/wave", "audio/webm", "audio/ogg", "audio/mpeg", "audio/mp4", "audio/flac", "application/octet-stream",
        ])

    var voiceRoutes: [Route] {
        [
            read("/api/voices") { _ in try await self.listVoices() },
            change(.post, "/api/voices/check", body: Self.recordings) { try await self.checkSample($0) },
            change(.post, "/api/voices/consent", body: .json(maximumBytes: 4_096)) { try await self.consent($0) },
            change(.post, "/api/voices", body: BodyRule(maximumBytes: 2 * Self.recordingBytes, contentTypes: ["multipart/form-data"])) {
                try await self.addVoice($0)
            },
            change(.post, "/api/voices/import", body: BodyRule(maximumBytes: VoiceArchive.largest, contentTypes: ["application/octet-stream"])) {
                try await self.importVoice($0)
            },
            change(.post, "/api/voices/:name/fit", body: .json(maximumBytes: 4_096)) { request in
                struct Wish: Decodable { var tries: Int? }
                let tries = try await request.json(Wish.self).tries ?? VoiceFitJob.tries
                guard (1...2000).contains(tries) else { throw Problem(422, "bad-tries", "tries is a number from 1 to 2000") }
                return try .json(Queued(job: try await self.report(try await self.queueFit(of: try self.voice(request), tries: tries))), status: 201)
            },
            read("/api/voices/:name/sample") { request in
                let voice = try self.voice(request)
                return .content(try FileContent.open(self.engines.voiceFolder.sample(of: voice), type: "audio/wav"), for: request.head)
            },
            read("/api/voices/:name/export") { try self.exportVoice(try self.voice($0)) },
            change(.delete, "/api/voices/:name") { request in
                try self.engines.removeVoice(try self.voice(request))
                await self.announce(.voices)
                return .done
            },
        ]
    }

    private func voice(_ request: HTTPRequest) throws -> EnrolledVoice { try engines.voiceFolder.voice(named: request.parameters["name"] ?? "") }

    // MARK: - Showing

    private struct VoiceListing: Encodable {
        struct Voice: Encodable {
            var name: String
            var languages: [String]
            var note: String
            var `default`: Bool
        }
        struct Fit: Encodable {
            /// The job that makes it nearer now.
            var job: Int64?
        }

        var schemaVersion = 1
        var voices: [Voice]
        var cloned: [Joined<ClonedVoiceReport, Fit>]
        /// What to read for a sample.
        var sentence: String
        var canClone: Bool
        /// Models that cloning needs and that are not installed.
        var missing: [String]
    }

    private func listVoices() async throws -> HTTPResponse {
        let wanted = context.settings.voice
        let synthesizer = try? await engines.synthesizer()
        let fallback = KokoroSynthesizer.Configuration().defaultVoice
        let voices = (synthesizer?.voices ?? []).map {
            VoiceListing.Voice(name: $0.name, languages: $0.languages, note: $0.note, default: $0.name == (wanted.isEmpty ? fallback : wanted))
        }
        let models = try engines.modelStore()
        var missing: [String] = []
        for id in [Engines.synthesizerModel, Engines.speakerEncoderModel, Engines.recognizerModel, Engines.voiceActivityModel]
        where try await models.status(of: id) != .installed {
            missing.append(id)
        }
        let fits = try await fittingJobs()
        let cloned = engines.voiceFolder.voices().map { voice in Joined(ClonedVoiceReport(voice), VoiceListing.Fit(job: fits[voice.id])) }
        return try .json(
            VoiceListing(voices: voices, cloned: cloned, sentence: SampleRecorder.sampleText, canClone: missing.isEmpty, missing: missing))
    }

    /// Jobs that fit a voice and have not ended, by voice.
    private func fittingJobs() async throws -> [UUID: Int64] {
        let jobs = try await store.jobs(states: [.queued, .running], limit: 200).filter { $0.kind == VoiceFitJob.kind }
        return Dictionary(
            jobs.compactMap { job in (try? JSONDecoder().decode(VoiceFitJob.self, from: Data(job.payload.utf8))).map { ($0.voice, job.id.rawValue) }
            },
            uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Making

    private struct Queued: Encodable {
        var schemaVersion = 1
        var job: AgentReport
    }

    private struct Added: Encodable {
        var schemaVersion = 1
        var voice: ClonedVoiceReport
        var job: AgentReport?
        var fingerprint: String?
    }

    /// A report for people: faults are sentences.
    private struct CheckedSample: Encodable {
        var schemaVersion = 1
        var quality: SampleQuality
        var faults: [String]
        var heard: String?
        var wordErrorRate: Double?
        var isGood: Bool

        init(_ report: SampleReport) {
            quality = report.quality
            faults = report.sentences
            heard = report.heard
            wordErrorRate = report.wordErrorRate.flatMap { $0.isFinite ? $0 : nil }
            isGood = report.isGood
        }
    }

    private func decoded(_ bytes: [UInt8], rate: Int, _ name: String) async throws -> AudioBuffer {
        var samples: [Float] = []
        do {
            for try await buffer in MediaDecoder(sampleRate: rate, limits: .init(seconds: 600)).audio(of: bytes, name: name) {
                samples += buffer.samples
            }
        } catch let error as MediaError {
            throw Problem(422, "bad-recording", error.message)
        }
        return AudioBuffer(samples: samples, sampleRate: rate)
    }

    private func checkSample(_ request: HTTPRequest) async throws -> HTTPResponse {
        let bytes = try await request.body.collect()
        let audio = try await decoded(bytes, rate: 16_000, "the recording")
        var report = SampleReport(quality: SampleQuality(audio))
        if let words = request.text("text") {
            let recognizer = try await engines.recognizer()
            let heard = try await recognizer.transcribe(AudioStream(audio)).finals().map(\.text).joined(separator: " ")
            report.heard = heard
            report.wordErrorRate = WordErrorRate(reference: TranscriptNormalizer.words(words), hypothesis: TranscriptNormalizer.words(heard)).rate
        }
        return try .json(CheckedSample(report))
    }

    private func consent(_ request: HTTPRequest) async throws -> HTTPResponse {
        struct Name: Decodable { var name: String }
        struct Sentence: Encodable {
            var schemaVersion = 1
            var sentence: String
            var until: String
        }
        let name = try await request.json(Name.self).name
        try await checkNew(name)
        let sentence = try engines.askConsent(for: name, now: context.now())
        return try .json(Sentence(sentence: sentence.text, until: sentence.made.addingTimeInterval(ConsentSentence.lifetime).reportText))
    }

    private func checkNew(_ name: String) async throws {
        try EnrolledVoice.check(name: name)
        if engines.voiceFolder.voices().contains(where: { $0.name == name }) {
            throw Problem(409, "name-taken", "there is a voice \"\(name)\" already; take another name, or delete it first")
        }
        if try await engines.synthesizer().voices.contains(where: { $0.name == name }) {
            throw Problem(409, "name-taken", "\"\(name)\" is a stock voice; take another name")
        }
    }

    private func addVoice(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try await MultipartForm(
            contentType: request.head.headers["Content-Type"] ?? "", body: request.body.produced, limit: 2 * Self.recordingBytes)
        guard let name = form.text("name") else { throw Problem(422, "bad-name", "a name is needed") }
        guard let sample = form.bytes("sample"), let consent = form.bytes("consent") else {
            throw Problem(422, "bad-sample", "two recordings are needed: the sample and the consent")
        }
        try await checkNew(name)
        guard let asked = engines.voiceFolder.askedSentence(for: name) else {
            throw Problem(422, "no-consent", "no consent sentence was asked for \"\(name)\"; begin with the sentence that is to be read")
        }
        let enrolment = try await engines.voiceEnrolment()
        let recorded = (try await decoded(sample, rate: 24_000, "the sample"), try await decoded(consent, rate: 24_000, "the consent"))
        let voice = try await enrolment.check(
            name: name, sample: recorded.0, words: form.text("text"), consent: recorded.1, asked: asked, now: context.now())
        try engines.keep(voice, sample: recorded.0, consent: recorded.1)
        let near = try await VoiceFitting(engines: engines, now: context.now).begin(voice) { _ in }
        let job = try await queueFit(of: near, tries: VoiceFitJob.tries)
        await announce(.voices)
        return try .json(Added(voice: ClonedVoiceReport(near), job: try await report(job)), status: 201)
    }

    private func queueFit(of voice: EnrolledVoice, tries: Int) async throws -> Job {
        if let going = try await fittingJobs()[voice.id], let job = try await store.job(JobID(going)) { return job }
        return try await runner.add(try VoiceFitJob.job(fitting: voice, tries: tries))
    }

    private func exportVoice(_ voice: EnrolledVoice) throws -> HTTPResponse {
        guard voice.style != nil else { throw Problem(409, "wrong-state", "this voice is not fitted yet") }
        let (bytes, _) = try engines.archive(of: voice)
        return .file(bytes, type: "application/octet-stream", name: "\(voice.name).sottovoice")
    }

    private func importVoice(_ request: HTTPRequest) async throws -> HTTPResponse {
        let bytes = try await request.body.collect()
        let (voice, fingerprint) = try engines.importVoice(bytes, as: request.text("name"))
        await announce(.voices)
        return try .json(Added(voice: ClonedVoiceReport(voice), fingerprint: fingerprint), status: 201)
    }
}
