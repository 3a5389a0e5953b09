import Foundation
import SottoAudio
import SottoMediaFiles
import SottoObservability
import SottoSpeechEngines
import SottoStreams
import SottoTakes
import SottoText
import Synchronization

extension Command {
    private static let transcribeSpec = ArgumentSpec(
        """
        usage: sotto transcribe FILE…|-|--microphone [--format text|json|srt|vtt] [--language L] [--engine E] [--translate] [--partials] [--digits]
                               [--no-fillers] [--restart]

          FILE           recordings in any common format and of any length; "-" hears one from standard input as it comes
          --microphone   hears the microphone until Enter or Ctrl-C; the recording is kept as a take
          --device ID    a microphone of "sotto dictate --devices"
          --format F     text (default), json with segment and word times and token probabilities, srt or vtt subtitles
        \(Hearing.usage)
          --partials     show the text while it is being heard: on standard error, or with json as one object a line
          --digits       write numbers in digits, as does the setting "digits"
          --no-fillers   leave out "um", "uh" and their like, as does the setting "removeFillers"
          --restart      begin a recording anew that was interrupted before; without it, it goes on where it was
        """,
        [
            "format": .value("text, json, srt or vtt"), "partials": .flag, "restart": .flag, "microphone": .flag,
            "device": .value("a device's id"), "digits": .flag, "no-fillers": .flag,
        ].merging(Hearing.options) { own, _ in own })

    static let transcribe = Command(
        name: "transcribe", summary: "turn recordings into text or subtitles", spec: transcribeSpec,
        run: { arguments, context in
            let usage = transcribeSpec.usage
            let format = try arguments.choice("format", default: TranscriptFormat.text, usage: usage)
            guard arguments.positional.isEmpty == arguments.has("microphone") else {
                throw UsageError(arguments.has("microphone") ? "--microphone takes no file" : "a file is needed", usage: usage)
            }
            guard arguments.positional.count(where: { $0 == "-" }) < 2 else {
                throw UsageError("standard input can be heard only once", usage: usage)
            }
            let transcription = Transcription(
                context: context, recognizer: try await context.engines.recognizer(try Hearing(arguments, context.settings)), format: format,
                showsPartials: arguments.has("partials"), beginsAnew: arguments.has("restart"),
                form: context.writtenForm(arguments))
            if arguments.has("microphone") {
                return try await transcription.microphone(
                    arguments.value("device") ?? (context.settings.microphone.isEmpty ? nil : context.settings.microphone))
            }
            var failures = 0
            for file in arguments.positional {
                do {
                    try await transcription.run(file)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    guard arguments.positional.count > 1 else { throw error }
                    failures += 1
                    context.console.error("\(file): \(error)")
                }
            }
            if failures > 0 { throw CommandError("\(failures) of \(arguments.positional.count) files could not be transcribed") }
        })
}

/// Hears one recording after another and prints what was said.
struct Transcription: Sendable {
    let context: Context
    let recognizer: ChosenRecognizer
    let format: TranscriptFormat
    let showsPartials: Bool
    let beginsAnew: Bool
    let form: WrittenForm

    /// Seconds of unrecognized speech in one recording from which on it is worth a word.
    private static let notable = 2.0

    /// - Parameter file: A path, or "-".
    func run(_ file: String) async throws {
        let isInput = file == "-"
        let path = isInput ? "" : try context.existing(file)
        let decoder = MediaDecoder(sampleRate: recognizer.sampleRate)
        let journal =
            isInput
            ? nil
            : TranscriptJournal(of: path, recognizer: recognizer.hearing.identity(recognizer.model), in: context.places.transcripts, anew: beginsAnew)
        let total = isInput ? nil : await decoder.duration(ofFile: path)
        let input = context.input
        let audio =
            isInput
            ? decoder.audio(
                ofChunks: ProducedSequence { emit in while let chunk = try await input.next() { try await emit(chunk) } }, name: "standard input")
            : decoder.audio(ofFile: path)
        var writer = TranscriptWriter(format, file: file)
        var isEmpty = true
        // With partials every line is an object of its own, so that readers need not wait for the end.
        let printsEvents = showsPartials && format == .json

        func take(_ heard: Transcript) throws {
            isEmpty = false
            let segment = form.written(heard)
            guard segment.text.isEmpty == false else { return }
            if printsEvents {
                context.console.result(
                    try Self.line(
                        Event(
                            type: "final", text: segment.text, start: segment.start, end: segment.end, words: segment.words,
                            language: segment.language)))
            } else if let text = writer.add(segment), text.isEmpty == false {
                context.console.result(text)
            }
        }
        var skipped = 0.0
        for segment in journal?.heard ?? [] {
            try take(segment)
            skipped = max(skipped, segment.end)
        }
        if skipped > 0 { context.console.note("\(file): going on from \(Self.clock(skipped)) (--restart begins anew)") }

        let session = try await recognizer.makeSession(partials: showsPartials)
        let rate = Double(recognizer.sampleRate)
        let offset = skipped
        let first = Int((skipped * rate).rounded())
        var position = 0
        func show(_ updates: [TranscriptUpdate]) throws {
            for update in updates {
                switch update {
                case .final(let heard):
                    let segment = heard.moved(by: offset)
                    journal?.add(segment)
                    try take(segment)
                case .partial(let committed, let tail):
                    if printsEvents {
                        context.console.result(
                            try Self.line(Event(type: "partial", committed: committed.text, tail: tail.text, start: committed.start + offset)))
                    } else if showsPartials {
                        context.console.live(committed: committed.text, tail: tail.text)
                    }
                }
            }
        }
        do {
            for try await buffer in audio {
                let from = min(buffer.samples.count, max(0, first - position))
                position += buffer.samples.count
                if from < buffer.samples.count { try show(try await session.accept(from == 0 ? buffer.samples : Array(buffer.samples[from...]))) }
                if showsPartials == false || printsEvents {
                    context.console.show(
                        SottoObservability.Progress(
                            phase: "Listening", item: total == nil ? Self.clock(Double(position) / rate) : file,
                            completed: total == nil ? 0 : Int64(Double(position) / rate), total: total.map { Int64($0.rounded(.up)) }))
                }
            }
            try show(try await session.finish())
        } catch let error as CancellationError {
            // What was heard is printed, or lies in the journal.
            if printsEvents == false, let rest = try writer.end(complete: false) { context.console.result(rest) }
            if journal != nil {
                context.console.note("\(file): stopped at \(Self.clock(Double(position) / rate)); the same command goes on from the last sentence")
            }
            throw error
        } catch {
            // The end is damaged, not what came before it.
            if let flushed = try? await session.finish() { try show(flushed) }
            if isEmpty == false, printsEvents == false, let rest = try writer.end(complete: false) { context.console.result(rest) }
            throw error
        }
        if printsEvents == false, let rest = try writer.end(complete: true) { context.console.result(rest) }
        journal?.remove()
        if isEmpty { context.console.note("\(file): no speech") }
        let coverage = await session.coverage
        if coverage.unrecognizedSeconds >= Self.notable {
            let places = coverage.unrecognized.prefix(5).map { Self.clock($0.start + offset) }.joined(separator: ", ")
            context.console.note(
                "\(file): \(Int(coverage.unrecognizedSeconds.rounded())) s that sounded like speech gave no text (at \(places)\(coverage.unrecognized.count > 5 ? ", …" : ""))"
            )
        }
    }

    /// Hears the microphone until somebody ends it.
    func microphone(_ device: String?) async throws {
        let stop = CancellationFlag()
        let dictation = Dictation(
            context: context, rules: EndpointRules(nothingSaid: nil, afterSpeech: nil, longest: nil), turns: nil, device: device,
            recognizer: recognizer)
        let console = context.console
        let printer = Mutex(TranscriptWriter(format, file: "microphone"))
        let printsEvents = showsPartials && format == .json
        // Unstructured: a cancel of this task is the wish to stop, not to drop what was said.
        let work = Task { [form, showsPartials] in
            let take = try await dictation.run(stop: stop) { update in
                switch update {
                case .partial(let committed, let tail):
                    if printsEvents {
                        console.result(try Self.line(Event(type: "partial", committed: committed.text, tail: tail.text, start: committed.start)))
                    } else if showsPartials {
                        console.live(committed: committed.text, tail: tail.text)
                    }
                case .final(let heard):
                    let segment = form.written(heard)
                    if printsEvents {
                        console.result(
                            try Self.line(
                                Event(
                                    type: "final", text: segment.text, start: segment.start, end: segment.end, words: segment.words,
                                    language: segment.language)))
                    } else if segment.text.isEmpty == false, let text = printer.withLock({ $0.add(segment) }) {
                        console.result(text)
                    }
                }
            }
            if printsEvents == false, let rest = try printer.withLock({ try $0.end(complete: true) }) { console.result(rest) }
            if take?.text?.isEmpty != false { console.note("no speech") }
        }
        Dictating.watchKeys(context, stop)
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            stop.cancel()
        }
    }

    private struct Event: Encodable {
        var type: String
        var text: String?
        var committed: String?
        var tail: String?
        var start: Double
        var end: Double?
        var words: [Transcript.Word]?
        var language: String?
    }

    private static func line(_ event: Event) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(event), as: UTF8.self)
    }

    static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
    }
}

extension WrittenForm {
    /// A segment as it is to be written. The rules for numbers, fillers and commands are those of English.
    func written(_ heard: Transcript) -> Transcript {
        var form = self
        if let language = heard.language, language != "en" {
            form.removesFillers = false
            form.digitsFrom = nil
            form.obeysCommands = false
        }
        var segment = heard
        segment.text = form.text(heard.text)
        // The times belong to the words that were heard.
        if segment.text != heard.text { segment.measuredWords = nil }
        return segment
    }
}

extension Transcript {
    /// The same, heard later.
    func moved(by seconds: Double) -> Transcript {
        var moved = self
        moved.start += seconds
        moved.end += seconds
        moved.measuredWords = measuredWords?.map { Word(text: $0.text, start: $0.start + seconds, end: $0.end + seconds) }
        return moved
    }
}

extension Context {
    /// What the settings, the user's replacements and a command's options do to what was heard.
    func writtenForm(_ arguments: Arguments, obeysCommands: Bool = false) -> WrittenForm {
        let file = FileManager.default.contents(atPath: places.replacements).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let (replacements, wrong) = WrittenForm.replacements(in: file)
        if wrong.isEmpty == false {
            console.note("\(places.replacements): not \"heard = written\" in line \(wrong.map(String.init).joined(separator: ", "))")
        }
        return WrittenForm(
            replacements: replacements, removesFillers: settings.removeFillers || arguments.has("no-fillers"),
            digitsFrom: settings.digits || arguments.has("digits") ? 10 : nil,
            obeysCommands: obeysCommands)
    }
}
