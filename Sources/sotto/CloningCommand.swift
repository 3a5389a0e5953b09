import Foundation
import SottoAgents
import SottoAudio
import SottoInstallationKey
import SottoJobStore
import SottoMediaFiles
import SottoObservability
import SottoSecrets
import SottoSpeechEngines
import SottoVoices

/// One call of those words of `sotto voices` that make, hand on and delete cloned voices.
struct CloningCommand: Sendable {
    let arguments: Arguments
    let context: Context
    let usage: String

    private var folder: VoiceFolder { context.engines.voiceFolder }

    func consent(_ name: String) throws {
        try EnrolledVoice.check(name: name)
        let sentence = try context.engines.askConsent(for: name, now: context.now())
        if arguments.has("json") {
            try context.printJSON(
                ConsentReport(voice: name, sentence: sentence.text, until: sentence.made.addingTimeInterval(ConsentSentence.lifetime).reportText))
        } else {
            context.console.result(sentence.text)
        }
        context.console.note(
            "The person whose voice it is reads this, with the microphone of the sample, within a day; then: "
                + "sotto voices add \(name) --sample FILE --consent FILE")
    }

    func add(_ name: String) async throws {
        try EnrolledVoice.check(name: name)
        folder.sweep()
        if folder.voices().contains(where: { $0.name == name }) {
            throw CommandError("there is a voice \"\(name)\" already; take another name, or remove it: sotto voices remove \(name)")
        }
        if try await context.engines.synthesizer().voices.contains(where: { $0.name == name }) {
            throw CommandError("\"\(name)\" is a stock voice; take another name")
        }
        // Before anybody reads anything aloud.
        let enrolment = try await context.engines.voiceEnrolment()
        let (sample, words, consent, asked) = try await recordings(name)
        context.console.show(Progress(phase: "Checking", item: name))
        let voice = try await enrolment.check(name: name, sample: sample, words: words, consent: consent, asked: asked, now: context.now())
        try context.engines.keep(voice, sample: sample, consent: consent)
        context.console.note("\(name) is added; the consent was heard and is in the sample's voice (likeness \(Self.number(voice.consent.likeness)))")
        guard arguments.has("no-fit") == false else { return context.console.note("Make it speak with: sotto voices fit \(name)") }
        let near = try await VoiceFitting(engines: context.engines, now: context.now).begin(voice) { context.console.show($0) }
        context.console.result("\(name)\t\(near.language)\t\(near.stateLine)")
        context.console.note("It can be spoken with now: sotto say --voice \(name). Nearer, in some minutes: sotto voices fit \(name)")
    }

    private func recordings(_ name: String) async throws -> (sample: AudioBuffer, words: String?, consent: AudioBuffer, asked: ConsentSentence) {
        if arguments.has("record") {
            guard arguments.value("sample") == nil, arguments.value("consent") == nil, arguments.value("text") == nil else {
                throw UsageError("--record takes no --sample, --consent or --text", usage: usage)
            }
            var generator = SystemRandomNumberGenerator()
            let asked = ConsentSentence(voice: name, made: context.now(), using: &generator)
            let preferred = context.settings.microphone.isEmpty ? nil : context.settings.microphone
            let recorder = SampleRecorder(context: context, device: arguments.value("device") ?? preferred)
            let (sample, words) = try await recorder.sample()
            let consent = try await recorder.reading(of: asked.text, title: "Now the consent")
            return (sample, words, consent, asked)
        }
        guard let sample = arguments.value("sample") else { throw UsageError("--sample FILE or --record is needed", usage: usage) }
        guard let asked = folder.askedSentence(for: name) else {
            throw CommandError(
                "no consent sentence was asked for \"\(name)\"; the person whose voice it is reads what this prints: sotto voices consent \(name)")
        }
        guard let consent = arguments.value("consent") else {
            throw UsageError("--consent FILE is needed: a recording of \"\(asked.text)\"", usage: usage)
        }
        let decoder = MediaDecoder(sampleRate: 24_000, limits: .init(seconds: 600))
        context.console.show(Progress(phase: "Listening", item: sample))
        return (
            try await decoder.read(try context.existing(sample)), arguments.value("text"), try await decoder.read(try context.existing(consent)),
            asked
        )
    }

    func fit(_ name: String) async throws {
        guard let tries = Int(arguments.value("tries") ?? "\(VoiceFitJob.tries)"), (1...2000).contains(tries) else {
            throw UsageError("--tries is a number from 1 to 2000", usage: usage)
        }
        let voice = try folder.voice(named: name)
        if arguments.has("background") { return try await queue(voice, tries: tries) }
        let fitting = VoiceFitting(engines: context.engines, now: context.now)
        let before = voice.style == nil ? try await fitting.begin(voice) { context.console.show($0) } : voice
        let after = try await fitting.refine(before, tries: tries) { context.console.show($0) }
        context.console.result("\(name)\t\(after.language)\t\(after.stateLine)")
    }

    private func queue(_ voice: EnrolledVoice, tries: Int) async throws {
        // Missing models are told here, not by a job that fails later.
        _ = try await context.engines.voiceFitter()
        let new = try VoiceFitJob.job(fitting: voice, tries: tries)
        let job: Job
        if let runner = context.hosting?.runner {
            job = try await runner.add(new)
        } else {
            guard let store = try context.engines.jobs(writing: true) else { throw CommandError("the queue cannot be opened") }
            job = try await store.add(new, at: try context.jobClock()())
        }
        context.console.result("\(job.id)")
        context.console.note("Job \(job.id) is queued" + (context.role == .host ? "" : "; start with: sotto agents run"))
    }

    func export(_ name: String) throws {
        guard let file = arguments.value("output") else { throw UsageError("--output FILE is needed", usage: usage) }
        let voice = try folder.voice(named: name)
        guard voice.style != nil else { throw CommandError("the voice \"\(name)\" is not fitted yet; do that with: sotto voices fit \(name)") }
        let path = try context.outputFile(file)
        let (bytes, fingerprint) = try context.engines.archive(of: voice)
        guard PrivateFile.write(Data(bytes), to: path) else { throw CommandError("\(path) cannot be written; check its folder and its space") }
        context.console.note("\(name) is in \(file). Whoever has it can speak in this voice. Tell them this fingerprint: \(fingerprint)")
    }

    func `import`(_ file: String) throws {
        let path = try context.existing(file)
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        guard size <= VoiceArchive.largest, let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("\(file) is too large to be a voice, or cannot be read")
        }
        let (voice, fingerprint) = try context.engines.importVoice([UInt8](data), as: arguments.value("name"))
        context.console.result("\(voice.name)\t\(voice.language)\t\(voice.stateLine)")
        context.console.note("Signed by \(fingerprint). If the sender says otherwise, remove it: sotto voices remove \(voice.name)")
    }

    func remove(_ name: String) throws {
        try context.engines.removeVoice(try folder.voice(named: name))
        context.console.note("\(name), its recordings and what was said with it are deleted")
    }

    static func number(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US"))) }
}

private struct ConsentReport: Encodable {
    var schemaVersion = 1
    var voice: String
    var sentence: String
    var until: String
}
