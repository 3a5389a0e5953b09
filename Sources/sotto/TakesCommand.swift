import Foundation
import SottoMediaFiles
import SottoObservability
import SottoSpeechEngines
import SottoStreams
import SottoSubprocess
import SottoTakes

extension Command {
    private static let takesSpec = ArgumentSpec(
        """
        usage: sotto takes list [--json]
               sotto takes play|remove ID…
               sotto takes retry ID… [--language L] [--engine E] [--translate]
               sotto takes remove --all

          list      the recordings that dictation made, newest first; one whose recorder died is recovered
          play      plays them
          retry     recognizes them again and prints the text
          remove    removes them

        \(Hearing.usage)

        They are kept for the days of the setting "takeDays".
        """,
        ["json": .flag, "all": .flag].merging(Hearing.options) { own, _ in own })

    static let takes = Command(
        name: "takes", summary: "recordings of what was dictated", spec: takesSpec,
        run: { arguments, context in
            let usage = takesSpec.usage
            let store = TakeStore(folder: context.places.takes)
            let ids = Array(arguments.positional.dropFirst())
            func each(_ body: (String) async throws -> Void) async throws {
                guard ids.isEmpty == false else { throw UsageError("the id of a take is needed", usage: usage) }
                for id in ids { try await body(id) }
            }
            switch arguments.positional.first {
            case "list":
                if context.settings.takeDays > 0 {
                    store.removeAll(startedBefore: context.now().addingTimeInterval(-context.settings.takeDays * 86_400))
                }
                let takes = store.list()
                if arguments.has("json") { return try context.printJSON(TakeList(takes: takes)) }
                if takes.isEmpty { context.console.note("there are no takes") }
                for take in takes { context.console.result(take.line(in: context.zone)) }
            case "play": try await each { id in try await context.play(try store.audio(of: id)) }
            case "retry":
                try await each { id in
                    let text = try await context.retry(id, in: store, try Hearing(arguments, context.settings)).text ?? ""
                    context.console.result(text.isEmpty ? "(no speech)" : text)
                }
            case "remove":
                if arguments.has("all") {
                    let count = store.removeAll(startedBefore: .distantFuture)
                    return context.console.note("\(count) takes removed")
                }
                try await each { id in try store.remove(id) }
            default: throw UsageError("list, play, retry or remove is needed", usage: usage)
            }
        })
}

/// The report of `--json`.
private struct TakeList: Encodable {
    var schemaVersion = 1
    var takes: [Take]
}

extension Take.Segment {
    init(_ transcript: Transcript) { self.init(text: transcript.text, start: transcript.start, end: transcript.end) }
}

extension Take {
    fileprivate func line(in zone: TimeZone) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        let note =
            switch state {
            case .recording: "recording"
            case .finished: text == nil ? "not recognized: sotto takes retry \(id)" : text == "" ? "no speech" : text ?? ""
            case .recovered: text ?? "recovered: sotto takes retry \(id)"
            }
        return "\(id)\t\(formatter.string(from: started))\t\(Transcription.clock(seconds))\t\(note)"
    }
}

extension Context {
    /// Recognizes a take again.
    ///
    /// - Parameter heard: Told how far it is, in seconds; the console is, when it is `nil`.
    func retry(_ id: String, in store: TakeStore, _ hearing: Hearing, heard: ((Double) -> Void)? = nil) async throws -> Take {
        guard try store.take(id).state != .recording else {
            throw CommandError("the take \(id) is still being recorded; stop it first: sotto dictate stop")
        }
        let recognizer = try await engines.recognizer(hearing)
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        var segments: [Take.Segment] = []
        for try await case .final(let segment) in recognizer.transcribe(decoder.audio(ofFile: try store.audio(of: id))) {
            segments.append(Take.Segment(segment))
            if let heard {
                heard(segment.end)
            } else {
                console.show(SottoObservability.Progress(phase: "Listening", item: Transcription.clock(segment.end)))
            }
        }
        try store.setText(segments, recognizer: recognizer.model, of: id)
        return try store.take(id)
    }

    /// Plays a WAV file through the first player that is installed.
    fileprivate func play(_ path: String) async throws {
        let players: [(String, [String])] = [
            ("pw-play", [path]), ("paplay", [path]), ("aplay", ["-q", path]), ("ffplay", ["-nodisp", "-autoexit", "-loglevel", "error", path]),
        ]
        var failures: [String] = []
        for (program, arguments) in players where (try? Subprocess.locate(program)) != nil {
            var request = Subprocess.Request(program, arguments)
            request.environment = environment.filter { ["XDG_RUNTIME_DIR", "PULSE_SERVER", "PIPEWIRE_REMOTE", "HOME"].contains($0.key) }
            do {
                _ = try await Subprocess.run(request).checked()
                return
            } catch let error as SubprocessError {
                failures.append(error.message)
            }
        }
        throw CommandError(
            failures.isEmpty
                ? "no player is installed; install pulseaudio-utils" : "the take could not be played: \(failures.joined(separator: "; "))")
    }
}
