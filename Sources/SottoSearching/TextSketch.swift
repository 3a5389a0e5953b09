/// A small summary of a text from which one can tell how much of it another text shares.
///
/// The smallest hashes of all runs of nine letters and digits, whatever the language (bottom-k sketch: A. Broder, "On the resemblance and containment of
/// documents", 1997).
public struct TextSketch: Sendable, Equatable {
    /// Hashes that are kept; the error of the estimate is about 1/√size.
    public static let size = 256
    private static let run = 9

    /// Ascending, all different.
    let hashes: [UInt64]
    /// Letters and digits in the text.
    public let length: Int

    /// - Complexity: O(n log n) in the length of the text.
    public init(_ text: String) {
        var letters: [UInt64] = []
        for scalar in text.lowercased().unicodeScalars where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
            letters.append(UInt64(scalar.value))
        }
        length = letters.count
        guard letters.count >= Self.run else {
            hashes = letters.isEmpty ? [] : [Self.hash(letters[...])]
            return
        }
        var all: Set<UInt64> = []
        all.reserveCapacity(letters.count)
        for start in 0...(letters.count - Self.run) { all.insert(Self.hash(letters[start..<start + Self.run])) }
        hashes = Array(all.sorted().prefix(Self.size))
    }

    /// How much of both texts together is in both, 0 to 1; exact for short texts, an estimate for long ones.
    public func resemblance(to other: TextSketch) -> Double {
        guard hashes.isEmpty == false, other.hashes.isEmpty == false else { return 0 }
        var left = 0
        var right = 0
        var shared = 0
        var union = 0
        while union < Self.size, left < hashes.count || right < other.hashes.count {
            union += 1
            if right >= other.hashes.count {
                left += 1
            } else if left >= hashes.count {
                right += 1
            } else if hashes[left] == other.hashes[right] {
                shared += 1
                left += 1
                right += 1
            } else if hashes[left] < other.hashes[right] {
                left += 1
            } else {
                right += 1
            }
        }
        return Double(shared) / Double(union)
    }

    /// FNV-1a over the scalars, finished by a mixer, so that "smallest" means "random".
    private static func hash(_ letters: ArraySlice<UInt64>) -> UInt64 {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for letter in letters { value = (value ^ letter) &* 0x0000_0100_0000_01B3 }
        value = (value ^ (value >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        value = (value ^ (value >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return value ^ (value >> 33)
    }
}
