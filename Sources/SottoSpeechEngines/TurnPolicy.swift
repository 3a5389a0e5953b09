/// When to ask a ``TurnDetector``, and when a turn is over.
///
/// ```swift
/// switch policy.observe(pause: pause) {
/// case .wait: break
/// case .ask: policy.answer(try await detector.completion(of: newest), at: pause)
/// case .ended: …
/// }
/// ```
/// Pure: pauses and answers in, verdicts out. An answer means something only for the silence at which it was given and moves as the silence
/// grows, so the question is asked again at a steady step; the silence timer is the fall-back.
public struct TurnPolicy: Sendable {
    public struct Configuration: Sendable, Equatable {
        /// Silence after which the question is asked first.
        public var firstLook: Duration
        /// Further silence after which it is asked again.
        public var step: Duration
        /// The probability from which on a turn is complete.
        public var threshold: Float
        /// The shortest silence that ends a complete turn: a dictation should outlive the rest between two sentences, a conversation should not wait.
        public var shortest: Duration
        /// Silence that ends a turn whatever the detector says; `nil` waits for ever.
        public var longest: Duration?

        /// The defaults are those that `Benchmarks/recognition/turns.py` measured (docs/recognition.md).
        public init(
            firstLook: Duration = .milliseconds(300), step: Duration = .milliseconds(250), threshold: Float = 0.5, shortest: Duration = .zero,
            longest: Duration? = .seconds(2)
        ) {
            self.shortest = shortest
            self.firstLook = firstLook
            self.step = step
            self.threshold = threshold
            self.longest = longest
        }
    }

    public enum Action: Sendable, Equatable {
        case wait
        /// The detector is to be asked, and its answer given to ``answer(_:at:)``.
        case ask
        case ended(End)
    }

    public enum End: Sendable, Equatable {
        /// The speaker has finished.
        case complete
        /// It has been silent for long.
        case silence
    }

    public let configuration: Configuration
    /// The silence at which the question was asked last in this pause.
    private var asked: Duration?
    private var isComplete = false
    private var isOver = false

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// - Parameter pause: Silence since speech was last heard; `nil` while nobody has spoken in this turn.
    public mutating func observe(pause: Duration?) -> Action {
        guard let pause else {
            (asked, isComplete, isOver) = (nil, false, false)
            return .wait
        }
        // A shorter pause than before is another one.
        if let asked, pause < asked { (self.asked, isComplete, isOver) = (nil, false, false) }
        if pause < configuration.firstLook { isOver = false }
        guard isOver == false else { return .wait }
        let isComplete = isComplete && pause >= configuration.shortest
        if isComplete || configuration.longest.map({ pause >= $0 }) == true {
            isOver = true
            return .ended(isComplete ? .complete : .silence)
        }
        guard pause >= asked.map({ $0 + configuration.step }) ?? configuration.firstLook else { return .wait }
        return .ask
    }

    /// Takes the detector's answer.
    ///
    /// - Parameters:
    ///   - probability: That the turn is complete, in [0, 1]; what is not a number is no.
    ///   - pause: The silence at which it was asked.
    public mutating func answer(_ probability: Float, at pause: Duration) {
        asked = pause
        isComplete = probability >= configuration.threshold
    }
}
