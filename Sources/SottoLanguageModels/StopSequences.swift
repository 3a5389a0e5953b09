/// Ends an answer before the first of some texts, whatever tokens it comes in.
///
/// Compares bytes of UTF-8, as clients mean it: canonically equivalent spellings are different. What may be the beginning of a stop sequence waits
/// until
/// it is known, so that nothing of it is ever given.
public struct StopSequences: Sendable {
    private let sequences: [[UInt8]]
    private var held: [UInt8] = []

    /// - Parameter sequences: Empty ones count for nothing.
    public init(_ sequences: [String]) {
        self.sequences = sequences.filter { $0.isEmpty == false }.map { Array($0.utf8) }
    }

    /// Takes the next piece of the answer.
    ///
    /// - Returns: What may be given now, and whether the answer ends with it.
    public mutating func add(_ piece: String) -> (text: String, isStopped: Bool) {
        guard sequences.isEmpty == false else { return (piece, false) }
        held += piece.utf8
        return take(isEnd: false)
    }

    /// What waited, once nothing follows.
    public mutating func finish() -> (text: String, isStopped: Bool) { take(isEnd: true) }

    private mutating func take(isEnd: Bool) -> (text: String, isStopped: Bool) {
        for position in held.indices {
            let rest = held[position...]
            if sequences.contains(where: { rest.starts(with: $0) }) {
                defer { held = [] }
                return (String(decoding: held[..<position], as: UTF8.self), true)
            }
            if isEnd == false, sequences.contains(where: { $0.starts(with: rest) }) {
                defer { held = Array(rest) }
                return (String(decoding: held[..<position], as: UTF8.self), false)
            }
        }
        defer { held = [] }
        return (String(decoding: held, as: UTF8.self), false)
    }
}
