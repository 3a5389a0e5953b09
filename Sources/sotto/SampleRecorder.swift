import Foundation
import SottoAudio
import SottoAudioDevices
import SottoObservability
import SottoPulseAudio
import SottoStreams
import SottoVoices

/// Shows what to read and records it, with a level meter, until the reader has been silent for a while.
struct SampleRecorder: Sendable {
    /// Nine or ten seconds, with all of English's sounds (after the first sentence of "The Rainbow Passage", Fairbanks 1960, in words of our own).
    static let sampleText =
        "When bright morning light falls through thin rain, a bow of many colors joins the hills. "
        + "People often watch it for a while, and children ask how far away its end may be."
    /// The end of a reading: so many seconds below the level of speech.
    private static let silence = 2.0
    private static let longest = 40.0
    private static let takes = 3

    let context: Context
    let device: String?

    /// A sample that passes ``SampleQuality``; asks for a retake, and says why, up to three times.
    func sample() async throws -> (AudioBuffer, words: String) {
        for take in 1...Self.takes {
            let audio = try await reading(of: Self.sampleText, title: take == 1 ? "First, ten seconds of your voice" : "Once more")
            let quality = SampleQuality(audio)
            if quality.faults.isEmpty { return (audio, Self.sampleText) }
            context.console.note("That would not do: " + quality.faults.map(\.message).joined(separator: "; "))
        }
        throw CommandError("no recording was good enough; \"sotto dictate --devices\" lists the microphones")
    }

    /// Records one reading.
    func reading(of text: String, title: String) async throws -> AudioBuffer {
        let lock = try MicrophoneLock.acquire(context)
        defer { withExtendedLifetime(lock) {} }
        context.console.note("\(title). Read aloud, then be silent for \(Int(Self.silence)) seconds:\n\n  \(text)\n")
        let rate = 24_000
        var meter = LevelMeter(sampleRate: rate)
        var end = ReadingEnd(sampleRate: rate, silence: Self.silence, longest: Self.longest)
        var samples: [Float] = []
        for try await event in PulseAudioCapture(server: context.environment["PULSE_SERVER"]).record(.init(device: device, sampleRate: rate)) {
            switch event {
            case .flowing(let microphone):
                context.console.note("Listening to \(microphone.name)")
                if microphone.isMuted { context.console.note("\(microphone.name) is muted; nothing will be heard until it is switched on") }
            case .interrupted(let reason): context.console.note(reason)
            case .overrun: throw CommandError("sound was lost: this machine is too busy; record again")
            case .audio(let buffer):
                samples += buffer.samples
                meter.observe(buffer.samples)
                context.console.show(SottoObservability.Progress(phase: "Recording", item: Self.bar(meter)))
                if meter.isDead, samples.count > rate * 3 { throw CommandError("the microphone gives nothing at all; is it muted?") }
            }
            if end.observe(samples.count, level: meter.decibels) { break }
        }
        return AudioBuffer(samples: samples, sampleRate: rate)
    }

    /// The level in twenty steps from −60 dB.
    static func bar(_ meter: LevelMeter) -> String {
        let filled = max(0, min(20, Int((meter.decibels + 60) / 3)))
        return String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled) + (meter.isClipped ? " too loud" : "")
    }
}

/// When a reading has ended: after speech, so much silence; or too long.
struct ReadingEnd: Sendable {
    let sampleRate: Int
    let silence: Double
    let longest: Double
    private var loudest: Float = -100
    private var lastLoud = 0
    private var hasSpoken = false

    init(sampleRate: Int, silence: Double, longest: Double) {
        self.sampleRate = sampleRate
        self.silence = silence
        self.longest = longest
    }

    /// - Parameters:
    ///   - position: Samples recorded so far.
    ///   - level: In dB of full scale.
    mutating func observe(_ position: Int, level: Float) -> Bool {
        loudest = max(loudest, level)
        if level > max(-50, loudest - 25) {
            lastLoud = position
            // A knock at the beginning is no reading.
            if Double(position) / Double(sampleRate) > 1 { hasSpoken = true }
        }
        let seconds = Double(position) / Double(sampleRate)
        return seconds >= longest || (hasSpoken && Double(position - lastLoud) / Double(sampleRate) >= silence)
    }
}
