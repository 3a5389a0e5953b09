/// Turns token pieces into whole characters: a character split over tokens waits for its last byte.
struct UTF8Assembler {
    private var pending: [UInt8] = []

    /// Adds a token's bytes.
    ///
    /// - Returns: Everything that is complete now; bytes that can never become a character come out as U+FFFD.
    mutating func add(_ bytes: some Sequence<UInt8>) -> String {
        pending += bytes
        let complete = pending.count - incompleteTail
        guard complete > 0 else { return "" }
        let text = String(decoding: pending[..<complete], as: UTF8.self)
        pending.removeFirst(complete)
        return text
    }

    /// What is left at the end of an answer; an unfinished character comes out as U+FFFD.
    mutating func finish() -> String {
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    /// How many bytes at the end begin a character that is not finished.
    private var incompleteTail: Int {
        for length in 1...3 where length <= pending.count {
            let byte = pending[pending.count - length]
            let needed: Int
            switch byte {
            case 0x80...0xBF: continue
            case 0xC2...0xDF: needed = 2
            case 0xE0...0xEF: needed = 3
            case 0xF0...0xF4: needed = 4
            default: return 0
            }
            return length < needed ? length : 0
        }
        return 0
    }
}
