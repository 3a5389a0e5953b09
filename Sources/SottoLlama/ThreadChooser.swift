/// Decides from measured step times how many threads the next step should wish for.
///
/// ggml's threads wait for each other at a spinning barrier after every operation. When another process holds one of the
/// cores, each barrier costs a time slice of the scheduler: on two cores, two threads were then 10 to 60 times slower
/// than one (SmolLM2-135M fell from 74 to about 1 token a second). No load average tells this in time, so the steps
/// themselves do: when many threads are slower than one was, one it is, with a look from time to time whether the
/// machine has become quiet.
struct ThreadChooser {
    private enum State: Equatable { case calibratingMany, calibratingOne, many, one(held: Double), probing }

    /// Many threads count as disturbed when a token takes this many times what it takes on one thread.
    static let disturbedAgainstOne = 1.4
    /// Many threads return when a token then takes at most this part of what it takes on one thread.
    static let returnAgainstOne = 0.95
    /// How long one thread is kept before the first look, in seconds; doubled after each disappointing look.
    static let firstHold = 1.0
    /// One thread is kept at least so many times as long as the disturbed step took: looks cost a tenth at most, also
    /// where a step is a second of prompt.
    static let holdPerLook = 10.0
    /// The longest time between two looks, in seconds.
    static let longestHold = 30.0

    private let maximum: Int
    private var state = State.calibratingMany
    private var hold = ThreadChooser.firstHold
    /// Seconds a token on one thread, smoothed.
    private var one: Double?
    /// Seconds a token on many threads in the last step with many.
    private var many: Double?
    /// How long that step took.
    private var manySeconds = 0.0

    /// - Parameter maximum: Threads on a quiet machine, at least 1.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    /// How many threads the next step should ask for.
    var wish: Int {
        guard maximum > 1 else { return 1 }
        switch state {
        case .calibratingMany, .many, .probing: return maximum
        case .calibratingOne, .one: return 1
        }
    }

    /// Learns from a step.
    ///
    /// - Parameters:
    ///   - threads: What the step was granted, which may be less than its wish.
    ///   - tokens: How many tokens it computed.
    ///   - seconds: How long it took.
    mutating func observe(threads: Int, tokens: Int, seconds: Double) {
        guard maximum > 1, tokens > 0, seconds > 0 else { return }
        let time = seconds / Double(tokens)
        if threads == 1 {
            one = one.map { $0 * 0.7 + time * 0.3 } ?? time
            observeOne(seconds: seconds)
        } else {
            observeMany(time, seconds: seconds)
            (many, manySeconds) = (time, seconds)
        }
    }

    private mutating func observeOne(seconds: Double) {
        switch state {
        case .calibratingOne:
            // Fewer than wished says nothing about many threads, but both times are known now.
            guard let many, let one, many > one * Self.returnAgainstOne else {
                state = .many
                return
            }
            keepOne(after: manySeconds)
        case .one(let held):
            state = held + seconds >= hold ? .probing : .one(held: held + seconds)
        case .calibratingMany, .many, .probing:
            break
        }
    }

    private mutating func observeMany(_ time: Double, seconds: Double) {
        switch state {
        case .calibratingMany:
            guard let one else {
                state = .calibratingOne
                return
            }
            if time <= one * Self.returnAgainstOne { state = .many } else { keepOne(after: seconds) }
        case .many:
            guard let one, time > one * Self.disturbedAgainstOne else { return }
            keepOne(after: seconds)
        case .probing:
            if let one, time > one * Self.returnAgainstOne {
                hold *= 2
                keepOne(after: seconds)
            } else {
                hold = Self.firstHold
                state = .many
            }
        case .calibratingOne, .one:
            break
        }
    }

    private mutating func keepOne(after seconds: Double) {
        hold = min(max(hold, seconds * Self.holdPerLook), Self.longestHold)
        state = .one(held: 0)
    }
}
