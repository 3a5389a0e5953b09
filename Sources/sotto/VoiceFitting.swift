import Foundation
import SottoAudio
import SottoObservability
import SottoTakes
import SottoVoices

/// Fits a voice and keeps how far it is: after every try, so that a restart loses one at most.
struct VoiceFitting: Sendable {
    let engines: Engines
    let now: @Sendable () -> Date

    private var folder: VoiceFolder { engines.voiceFolder }

    /// The first style, from the map alone.
    func begin(_ voice: EnrolledVoice, show: (SottoObservability.Progress) -> Void) async throws -> EnrolledVoice {
        let lock = try lock(voice)
        defer { withExtendedLifetime(lock) {} }
        show(.init(phase: "Fitting", item: voice.name))
        let fitter = try await engines.voiceFitter()
        let progress = try await progress(voice, fitter)
        return try await keep(voice, progress, fitter, state: .fitting)
    }

    /// Goes on until there have been so many tries.
    ///
    /// - Parameter isLast: Whether it is done then, for now.
    func refine(_ voice: EnrolledVoice, tries: Int, isLast: Bool = true, show: @Sendable (SottoObservability.Progress) -> Void) async throws
        -> EnrolledVoice
    {
        let lock = try lock(voice)
        defer { withExtendedLifetime(lock) {} }
        let fitter = try await engines.voiceFitter()
        var progress = try await progress(voice, fitter)
        try await fitter.refine(&progress, tries: tries) { progress in
            try save(progress, of: voice)
            let best = progress.search.best.map { ", likeness \(CloningCommand.number(-$0.cost))" } ?? ""
            show(.init(phase: "Fitting", item: "\(voice.name), try \(progress.tries) of \(tries)\(best)"))
        }
        return try await keep(voice, progress, fitter, state: isLast ? .ready : .fitting)
    }

    private func keep(_ voice: EnrolledVoice, _ progress: FitProgress, _ fitter: VoiceFitter, state: EnrolledVoice.State) async throws
        -> EnrolledVoice
    {
        let style = try await fitter.judged(progress)
        // Read anew: it may have been removed meanwhile.
        var voice = try folder.voice(named: voice.name)
        voice.ceiling = progress.ceiling
        voice.state = state
        // A longer search may judge worse by the luck of its sentences; what was better stays.
        if style.likeness >= voice.style?.likeness ?? -1 { voice.style = style } else { voice.style?.tries = style.tries }
        try folder.update(voice)
        return voice
    }

    private func progress(_ voice: EnrolledVoice, _ fitter: VoiceFitter) async throws -> FitProgress {
        if let data = FileManager.default.contents(atPath: folder.fit(of: voice)) {
            if let kept = try? JSONDecoder().decode(FitProgress.self, from: data), kept.schemaVersion == FitProgress.currentSchema { return kept }
            engines.log.warning("how far the fit of \(voice.name) was cannot be read; it begins anew")
        }
        let sample = try WAVFile(path: folder.sample(of: voice)).mono()
        let progress = try await fitter.begin(sample, seed: seed(voice.id))
        try save(progress, of: voice)
        return progress
    }

    /// The voice's own, so that a fit that begins anew finds the same.
    private func seed(_ id: UUID) -> UInt64 {
        let bytes = id.uuid
        return [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func save(_ progress: FitProgress, of voice: EnrolledVoice) throws {
        try folder.save(progress, of: voice)
    }

    /// One fit of a voice at a time, in all processes.
    private func lock(_ voice: EnrolledVoice) throws -> LockedFile {
        guard let lock = try LockedFile.open(folder.folder(of: voice) + "/fit.lock", create: true) else {
            throw CommandError("the voice \"\(voice.name)\" is being fitted already, by another process")
        }
        return lock
    }
}
