import Foundation
import Glibc
import SottoAudioDevices
import SottoPulseAudio
import SottoSpeechEngines
import SottoStreams
import SottoTakes
import SottoText
import Synchronization

extension Command {
    private static let dictateSpec = ArgumentSpec(
        """
        usage: sotto dictate [--type|--copy] [--language L] [--engine E] [--translate] [--silence S] [--device ID] [start|stop|toggle]
               sotto dictate --devices
               sotto dictate --preview TEXT [--digits] [--no-fillers] [--commands]

          (nothing)      until nobody has spoken for a while; Enter or Ctrl-C ends it at once
          start          until "sotto dictate stop"; for desktop shortcuts, as are:
          stop           ends the dictation that runs, wherever it was started
          toggle         stop when one runs, else start
          --type         also type the text into the focused window
          --copy         also copy the text to the clipboard, at the end
        \(Hearing.usage)
          --silence S    seconds of silence after speech that end it. Without it: 1.3 when what was said sounds finished, else 3;
                         2 without the model smart-turn-v3.2; with start and toggle: none
          --digits       write numbers in digits, as does the setting "digits"
          --no-fillers   leave out "um", "uh" and their like, as does the setting "removeFillers"
          --commands     obey "new line", "new paragraph", "comma", "full stop", "question mark", "open quote" and their like, as does the
                         setting "spokenCommands"; after "literal" they are words
          --preview TEXT shows what the settings, these options and replacements.txt beside config.json make of a text
          --device ID    a microphone of --devices, or the setting "microphone"; else the system's default
        """,
        [
            "type": .flag, "copy": .flag, "devices": .flag, "silence": .value("a number of seconds"), "device": .value("a device's id"),
            "digits": .flag, "no-fillers": .flag, "commands": .flag, "preview": .value("a text"),
        ].merging(Hearing.options) { own, _ in own })

    static let dictate = Command(
        name: "dictate", summary: "write what is said", spec: dictateSpec,
        run: { arguments, context in
            let usage = dictateSpec.usage
            let form = context.writtenForm(arguments, obeysCommands: context.settings.spokenCommands || arguments.has("commands"))
            if let text = arguments.value("preview") { return context.console.result(form.text(text)) }
            if arguments.has("devices") {
                let devices = try await PulseAudioCapture(server: context.environment["PULSE_SERVER"]).devices()
                if devices.isEmpty { context.console.note("there is no microphone") }
                for device in devices {
                    let marks = [
                        device.isDefault ? "default" : "", device.isMuted ? "muted" : "", device.isMonitor ? "plays what an output plays" : "",
                        device.isBluetooth ? "Bluetooth" : "",
                    ]
                    context.console.result("\(device.id)\t\(device.name)\t\(marks.filter { $0.isEmpty == false }.joined(separator: ", "))")
                }
                return
            }
            guard arguments.positional.count < 2, let action = DictateAction(rawValue: arguments.positional.first ?? "once") else {
                throw UsageError("\"\(arguments.positional.joined(separator: " "))\" is not one of start, stop, toggle", usage: usage)
            }
            guard arguments.has("type") == false || arguments.has("copy") == false else {
                throw UsageError("--type and --copy exclude each other", usage: usage)
            }
            let silence = try arguments.value("silence").map { word in
                guard let value = Double(word), (0.3...3600).contains(value) else {
                    throw UsageError("--silence is a number of seconds from 0.3, not \"\(word)\"", usage: usage)
                }
                return Duration.seconds(value)
            }
            switch action {
            case .stop:
                guard try await MicrophoneLock.stopHolder(context) else { throw CommandError("no dictation is running") }
                return
            case .toggle where try await MicrophoneLock.stopHolder(context): return
            case .start, .toggle, .once: break
            }
            let recognizer = try await context.engines.recognizer(try Hearing(arguments, context.settings))
            let target =
                arguments.has("type")
                ? try TextTarget(.typing, environment: context.environment)
                : arguments.has("copy") ? try TextTarget(.clipboard, environment: context.environment) : nil
            // What sounds finished ends sooner, and what hangs later, than by the clock alone.
            var judges = false
            if action == .once, silence == nil { judges = try await context.engines.hasTurnDetector() }
            let rules =
                action == .once
                ? EndpointRules(nothingSaid: .seconds(15), afterSpeech: silence ?? .seconds(judges ? 3 : 2), longest: nil)
                : EndpointRules(nothingSaid: nil, afterSpeech: silence, longest: nil)
            let turns = judges ? TurnPolicy.Configuration(shortest: .milliseconds(1300), longest: nil) : nil
            let device = arguments.value("device") ?? (context.settings.microphone.isEmpty ? nil : context.settings.microphone)
            let dictation = Dictation(context: context, rules: rules, turns: turns, device: device, recognizer: recognizer)
            try await Dictating(context: context, dictation: dictation, target: target, form: form).run()
        })
}

private enum DictateAction: String { case once, start, stop, toggle }

/// A dictation with its keys, and where its text goes.
struct Dictating: Sendable {
    let context: Context
    let dictation: Dictation
    let target: TextTarget?
    let form: WrittenForm

    /// Ctrl-C, SIGTERM and Enter end the recording; what was said before is still heard and printed.
    func run() async throws {
        let stop = CancellationFlag()
        let (context, target, form) = (context, target, form)
        // Unstructured: a cancel of this task is the wish to stop, not to drop what was said.
        let work = Task {
            // What is typed is joined to what was typed before it, so that a dictated comma hangs on its word.
            let typed = Mutex<Character?>(nil)
            let take = try await dictation.run(stop: stop) { update in
                switch update {
                case .partial(let committed, let tail): context.console.live(committed: committed.text, tail: tail.text)
                case .final(let text):
                    let written = form.written(text).text
                    guard written.isEmpty == false else { return }
                    context.console.result(written)
                    if let target, target.kind == .typing {
                        let joins = typed.withLock { last in
                            defer { last = written.last }
                            return last.map { $0.isNewline == false } == true && ",.;:!?…)”\n".contains(written.first ?? " ") == false
                        }
                        try await target.put((joins ? " " : "") + written)
                    }
                }
            }
            guard let take, let text = take.text, text.isEmpty == false else { return context.console.note("no speech") }
            if let target, target.kind == .clipboard {
                try await target.put(form.text(text))
                context.console.note("copied")
            }
        }
        Self.watchKeys(context, stop)
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            stop.cancel()
        }
    }

    /// Raises the flag when a line is entered at the terminal.
    static func watchKeys(_ context: Context, _ stop: CancellationFlag) {
        guard isatty(STDIN_FILENO) == 1 else { return }
        let input = context.input
        // Unstructured: a read of the terminal cannot be cancelled, and nobody may wait for it.
        Task { if let line = try? await input.next(), line.isEmpty == false { stop.cancel() } }
    }
}
