import Glibc
import SottoObservability
import SottoOwnership
import Synchronization

/// Results to standard output, everything else to standard error: this process's own, or those of the guest that it works for.
final class Console: Sendable {
    private struct State {
        var lineIsOpen = false
        var lastPhase = ""
        var lastDrawn = Duration.zero
        var lastPrinted: Duration?
    }

    private let state = Mutex(State())
    private let isTerminal: Bool
    private let isQuiet: Bool
    private let began = ContinuousClock.now
    /// Where everything goes instead, in order.
    private let forward: (@Sendable (OwnerEvent) -> Void)?

    init(isQuiet: Bool = false) {
        isTerminal = isatty(STDERR_FILENO) == 1
        self.isQuiet = isQuiet
        forward = nil
    }

    /// A console whose lines another one shows.
    init(forwardingTo forward: @escaping @Sendable (OwnerEvent) -> Void) {
        isTerminal = false
        isQuiet = false
        self.forward = forward
    }

    /// Shows what a command writes that runs elsewhere.
    func show(_ event: OwnerEvent) {
        switch event {
        case .output(let bytes):
            if let forward { return forward(event) }
            closeLine()
            write(bytes[...], to: STDOUT_FILENO)
        case .note(let text): note(text)
        case .problem(let text): error(text)
        case .progress(let progress): show(progress)
        }
    }

    /// One result on standard output.
    func result(_ text: String) {
        if let forward { return forward(.output(Array((text.hasSuffix("\n") ? text : text + "\n").utf8))) }
        closeLine()
        write(text.hasSuffix("\n") ? text : text + "\n", to: STDOUT_FILENO)
    }

    /// One line on standard error.
    func note(_ text: String) {
        if let forward { return forward(.note(text)) }
        closeLine()
        guard isQuiet == false else { return }
        write(text + "\n", to: STDERR_FILENO)
    }

    /// One line on standard error that no option silences.
    func error(_ text: String) {
        if let forward { return forward(.problem(text)) }
        closeLine()
        write("sotto: " + text.split(separator: "\n").joined(separator: " ") + "\n", to: STDERR_FILENO)
    }

    /// On a terminal, one line that is drawn again; elsewhere, one line a phase.
    func show(_ progress: Progress) {
        if let forward { return forward(.progress(progress)) }
        guard isQuiet == false else { return }
        let now = ContinuousClock.now - began
        let line: String? = state.withLock { state in
            let isNewPhase = state.lastPhase != progress.phase
            state.lastPhase = progress.phase
            if isTerminal == false {
                // Work that goes back and forth between phases, as a download of many parts does, speaks every five seconds.
                guard isNewPhase, progress.total == nil || state.lastPrinted.map({ now - $0 > .seconds(5) }) ?? true else { return nil }
                state.lastPrinted = now
                return Self.describe(progress, withItem: progress.total == nil) + "\n"
            }
            guard isNewPhase || now - state.lastDrawn > .milliseconds(100) else { return nil }
            state.lastDrawn = now
            state.lineIsOpen = true
            return "\r\u{1B}[K" + String(Self.describe(progress, withItem: true).prefix(100))
        }
        if let line { write(line, to: STDERR_FILENO) }
    }

    /// Words that are still being heard: on a terminal one line that is drawn again, elsewhere one line a change.
    func live(committed: String, tail: String) {
        let text = tail.isEmpty || committed.isEmpty ? committed + tail : committed + " " + tail
        if let forward { return forward(.note("… " + text)) }
        guard isQuiet == false else { return }
        guard isTerminal else { return write("… " + text + "\n", to: STDERR_FILENO) }
        state.withLock { $0.lineIsOpen = true }
        // The end is what is new.
        write("\r\u{1B}[K" + (text.count > 100 ? "…" + text.suffix(99) : text), to: STDERR_FILENO)
    }

    func log(minimum: Log.Level) -> Log {
        Log(minimum: minimum) { [weak self] level, message in self?.note("\(level): \(message)") }
    }

    private func closeLine() {
        let open = state.withLock { state in
            defer { state.lineIsOpen = false }
            return state.lineIsOpen
        }
        if open { write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    private static func describe(_ progress: Progress, withItem: Bool) -> String {
        var text = progress.phase
        if let total = progress.total, total > 0 {
            let isBytes = total > 10_000_000
            text +=
                isBytes
                ? " \(progress.completed / 1_000_000) of \(total / 1_000_000) MB" : " \(progress.completed) of \(total)"
        } else if progress.completed > 0 {
            text += " \(progress.completed)"
        }
        return withItem && progress.item.isEmpty == false ? text + ": " + progress.item : text
    }

    private func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8)[...], to: descriptor) }

    /// `print` is lost in a pipe at `_exit`, and a closed pipe must not kill the process: write it out, give up on error.
    private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var bytes = bytes
        while bytes.isEmpty == false {
            let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR || errno == EAGAIN else { return }
                continue
            }
            bytes = bytes.dropFirst(written)
        }
    }
}
