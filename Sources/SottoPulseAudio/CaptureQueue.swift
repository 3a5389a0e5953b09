import SottoAudio
import SottoAudioDevices
import Synchronization

/// What the sound server's thread gave and nobody has read yet. Bounded: beyond the limit the newest samples are counted and dropped.
final class CaptureQueue: Sendable {
    private struct State {
        var events: [CaptureEvent] = []
        var samples = 0
        var lost = 0
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    func add(_ event: CaptureEvent) {
        let reader = state.withLock { state in
            if case .audio(let buffer) = event {
                guard state.samples + buffer.samples.count <= limit else {
                    state.lost += buffer.samples.count
                    return nil as CheckedContinuation<Void, Never>?
                }
                if state.lost > 0 {
                    state.events.append(.overrun(seconds: Double(state.lost) / Double(buffer.sampleRate)))
                    state.lost = 0
                }
                state.samples += buffer.samples.count
            }
            state.events.append(event)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// The next event; `nil` at the end or when the reading task is cancelled. One reader only.
    func next() async -> CaptureEvent? {
        while Task.isCancelled == false {
            let (event, isEnd): (CaptureEvent?, Bool) = state.withLock { state in
                guard state.events.isEmpty == false else { return (nil, state.isFinished) }
                let event = state.events.removeFirst()
                if case .audio(let buffer) = event { state.samples -= buffer.samples.count }
                return (event, false)
            }
            if let event { return event }
            if isEnd { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let runNow = state.withLock { state in
                        if state.events.isEmpty == false || state.isFinished || Task.isCancelled { return true }
                        state.reader = continuation
                        return false
                    }
                    if runNow { continuation.resume() }
                }
            } onCancel: {
                let reader = state.withLock { state in
                    defer { state.reader = nil }
                    return state.reader
                }
                reader?.resume()
            }
        }
        return nil
    }
}
