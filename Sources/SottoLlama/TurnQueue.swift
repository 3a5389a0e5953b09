/// Whose turn it is with the one context: first come, first served; a value inside the actor that it guards.
struct TurnQueue {
    private var isTaken = false
    private var nextID: UInt64 = 0
    private var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []

    /// Whether somebody has the turn.
    var isBusy: Bool { isTaken }

    /// Takes the turn when it is free.
    mutating func take() -> Bool {
        guard isTaken == false else { return false }
        isTaken = true
        return true
    }

    /// A number for a request that has to wait.
    mutating func ticket() -> UInt64 {
        nextID += 1
        return nextID
    }

    /// Lines up; resumed with `true` when the turn has come, with `false` when withdrawn.
    mutating func wait(_ id: UInt64, _ continuation: CheckedContinuation<Bool, Never>) {
        waiting.append((id, continuation))
    }

    /// Leaves the line; does nothing when the turn has already come.
    mutating func withdraw(_ id: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(returning: false)
    }

    /// Hands the turn to the next in line.
    mutating func release() {
        guard waiting.isEmpty == false else {
            isTaken = false
            return
        }
        waiting.removeFirst().continuation.resume(returning: true)
    }
}
