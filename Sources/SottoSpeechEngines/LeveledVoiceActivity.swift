/// Voice activity that hears quiet speakers too: recordings whose loudest sounds are low are raised before the detector sees them.
///
/// A detector that was trained on speech of common loudness misses the same words 30 dB lower: of 140 clips of people brought to −35 dBFS Silero
/// missed 10 whole. What is recognized stays as it was recorded.
public struct LeveledVoiceActivity: VoiceActivityDetector {
    private let detector: any VoiceActivityDetector
    private let configuration: SpeechGain.Configuration

    public init(_ detector: any VoiceActivityDetector, configuration: SpeechGain.Configuration = .init()) {
        self.detector = detector
        self.configuration = configuration
    }

    public var sampleRate: Int { detector.sampleRate }
    public var frameLength: Int { detector.frameLength }

    public func makeSession() async throws -> any VoiceActivitySession {
        Session(
            base: try await detector.makeSession(), gain: SpeechGain(configuration: configuration, sampleRate: sampleRate),
            // By whole frames, so that the result does not depend on how the samples arrive.
            block: frameLength)
    }

    private actor Session: VoiceActivitySession {
        private let base: any VoiceActivitySession
        private let block: Int
        private var gain: SpeechGain
        private var pending: [Float] = []

        init(base: any VoiceActivitySession, gain: SpeechGain, block: Int) {
            self.base = base
            self.gain = gain
            self.block = block
        }

        func accept(_ samples: [Float]) async throws -> [Float] {
            pending += samples
            var raised: [Float] = []
            raised.reserveCapacity(pending.count)
            var position = 0
            while pending.count - position >= block {
                raised += gain.raised(pending[position..<(position + block)])
                position += block
            }
            pending.removeFirst(position)
            return raised.isEmpty ? [] : try await base.accept(raised)
        }
    }
}
