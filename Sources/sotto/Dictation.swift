import Foundation
import SottoAudio
import SottoAudioDevices
import SottoObservability
import SottoPulseAudio
import SottoSpeechEngines
import SottoStreams
import SottoTakes

/// Records from the microphone and recognizes what is said, until it is told to stop or nobody speaks any more.
///
/// Two tasks: one writes the recording to the disk as it comes, whatever the other does; the other recognizes it. Every way of stopping
/// flushes: what was said before it is heard.
struct Dictation: Sendable {
    /// Audio that is still taken in after the stop: what was on its way when the key was pressed.
    private static let tail = 0.25

    let context: Context
    let rules: EndpointRules
    /// When a complete turn ends the dictation; `nil` leaves it to the rules alone.
    let turns: TurnPolicy.Configuration?
    let device: String?
    let recognizer: ChosenRecognizer

    /// - Parameters:
    ///   - stop: Raised by whoever wants it to end; raised here when the rules say so.
    ///   - show: Told what is heard.
    /// - Returns: The take, with its text; `nil` when nothing was recorded.
    /// - Throws: ``CaptureError``, ``RecognitionError``. The take stays when recognition fails.
    func run(stop: CancellationFlag, show: @escaping @Sendable (TranscriptUpdate) async throws -> Void) async throws -> Take? {
        let lock = try MicrophoneLock.acquire(context)
        defer { withExtendedLifetime(lock) {} }
        let store = TakeStore(folder: context.places.takes)
        store.removeAll(startedBefore: context.now().addingTimeInterval(-max(context.settings.takeDays, 1) * 86_400))
        // Nothing is dropped: what waits here is on the disk, and a step of the recognizer is shorter than the audio that it waits for.
        let (samples, feed) = AsyncStream.makeStream(of: [Float].self, bufferingPolicy: .unbounded)
        // Unstructured: it must outlive a cancel of this task by the tail of the recording.
        let recording = Task { try await record(into: store, rate: recognizer.sampleRate, feed, stop: stop) }
        stop.onCancel {
            Task {
                // For a device that gives nothing more; with one that does, the recording ends by itself.
                try? await Task.sleep(for: .seconds(Self.tail * 4))
                recording.cancel()
            }
        }
        var finals: [Transcript] = []
        var failure: (any Error)?
        do {
            finals = try await LiveHearing(engines: context.engines, recognizer: recognizer, rules: rules, turns: turns)
                .run(samples, speakerEnded: { stop.cancel() }, show: show)
        } catch {
            failure = error
            stop.cancel()
        }
        let id = try await recording.value
        guard let id else {
            if let failure { throw failure }
            return nil
        }
        if let failure {
            context.console.note("the recording is kept; try again with: sotto takes retry \(id)")
            throw failure
        }
        try store.setText(finals.map(Take.Segment.init), recognizer: recognizer.model, of: id)
        let take = try store.take(id)
        if context.settings.takeDays == 0 { try store.remove(id) }
        return take
    }

    /// - Returns: The take's id; `nil` when no sample came.
    private func record(into store: TakeStore, rate: Int, _ feed: AsyncStream<[Float]>.Continuation, stop: CancellationFlag) async throws -> String? {
        defer { feed.finish() }
        let recorder = try store.begin(sampleRate: rate, now: context.now())
        var meter = LevelMeter(sampleRate: rate)
        var wasDead = false
        var hasFailed = false
        var afterStop = 0
        do {
            for try await event in PulseAudioCapture(server: context.environment["PULSE_SERVER"]).record(.init(device: device, sampleRate: rate)) {
                switch event {
                case .flowing(let microphone):
                    // Only now can the first word be heard.
                    context.console.note("Listening to \(microphone.name)")
                    if microphone.isMuted { context.console.note("\(microphone.name) is muted; nothing will be heard until it is switched on") }
                    if microphone.isBluetooth {
                        context.console.note(
                            "\(microphone.name) is a Bluetooth headset: while it records it plays in telephone quality; --device chooses another")
                    }
                    try? recorder.setDevice(microphone.name)
                case .interrupted(let reason): context.console.note(reason)
                case .overrun(let seconds): context.console.note("\(seconds) s of sound were lost: this machine is too busy")
                case .audio(let buffer):
                    if hasFailed == false {
                        do { try recorder.append(buffer.samples) } catch {
                            hasFailed = true
                            context.console.error("the recording is not kept any more, recognition goes on: \(error)")
                        }
                    }
                    meter.observe(buffer.samples)
                    if meter.isDead != wasDead {
                        wasDead = meter.isDead
                        context.console.note(wasDead ? "the microphone gives nothing at all; is it muted?" : "the microphone is back")
                    }
                    feed.yield(buffer.samples)
                    if stop.isCancelled { afterStop += buffer.samples.count }
                }
                if Double(afterStop) >= Self.tail * Double(rate) { break }
            }
        } catch is CancellationError {
            // Stopped without a device.
        } catch {
            let id = recorder.take.id
            _ = try? recorder.finish(text: nil, recognizer: nil)
            if recorder.seconds == 0 { try? store.remove(id) }
            throw error
        }
        let take = try recorder.finish(text: nil, recognizer: nil)
        if take.seconds == 0 {
            try store.remove(take.id)
            return nil
        }
        return take.id
    }
}
