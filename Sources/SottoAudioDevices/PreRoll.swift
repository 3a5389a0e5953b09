/// Keeps the newest seconds of a recording that nobody wants yet, so that a take can begin before the key was pressed.
public struct PreRoll: Sendable {
    private let capacity: Int
    private var samples: [Float] = []

    /// - Parameter capacity: Samples to keep.
    public init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// Takes the next samples; the oldest beyond the capacity go.
    public mutating func observe(_ new: [Float]) {
        samples += new
        // Not at every call, or each would move all that is kept.
        if samples.count > 2 * capacity + new.count { samples.removeFirst(samples.count - capacity) }
    }

    /// What is kept, oldest first; nothing is kept afterwards.
    public mutating func take() -> [Float] {
        defer { samples = [] }
        return Array(samples.suffix(capacity))
    }
}
