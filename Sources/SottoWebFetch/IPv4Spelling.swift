/// The spellings of an IPv4 address that `inet_aton` and browsers take: decimal, octal and hexadecimal, of one to four numbers.
///
/// Source: URL Standard, "IPv4 parser" and "ends-in-a-number checker"; `inet_aton(3)` of the GNU C library agrees on what is in both.
enum IPv4Spelling {
    enum Reading: Equatable {
        /// A name, not a number.
        case name
        case address(IPAddress)
        /// It ends in a number and is no address; such a name cannot exist.
        case invalid
    }

    /// - Parameter host: Lower case, without a final dot.
    static func read(_ host: String) -> Reading {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, endsInNumber(last) else { return .name }
        guard parts.count <= 4 else { return .invalid }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = number(part) else { return .invalid }
            numbers.append(number)
        }
        let final = numbers.removeLast()
        guard numbers.allSatisfy({ $0 < 256 }), final < UInt64(1) << (8 * (4 - UInt64(numbers.count))) else { return .invalid }
        var value = final
        for (index, number) in numbers.enumerated() { value += number << (8 * (3 - UInt64(index))) }
        return .address(IPAddress(version4: UInt32(value)))
    }

    private static func endsInNumber(_ label: Substring) -> Bool {
        guard label.isEmpty == false else { return false }
        return label.utf8.allSatisfy { (0x30...0x39).contains($0) } || (label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit))
    }

    private static func number(_ label: Substring) -> UInt64? {
        // Longer ones are zeros or too large; the bound keeps the reading linear.
        guard label.isEmpty == false, label.utf8.count <= 64, label.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if label.hasPrefix("0x") {
            let digits = label.dropFirst(2)
            return digits.isEmpty ? 0 : digits.allSatisfy(\.isHexDigit) ? UInt64(digits, radix: 16) : nil
        }
        guard label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return label.utf8.count > 1 && label.hasPrefix("0") ? UInt64(label, radix: 8) : UInt64(label)
    }
}
