/// A text that is compared without telling by the time it takes how much of a guess was right, and that does not print itself.
public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// - Parameter text: Not empty: an empty secret matches nothing.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// A new one of 256 bits, in the 43 characters of base64url.
    public static func random(using generator: inout some RandomNumberGenerator) -> (secret: Secret, text: String) {
        var raw: [UInt8] = []
        while raw.count < 32 { append(generator.next(), to: &raw) }
        let text = Base64.text(raw).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return (Secret(text), text)
    }

    /// Takes the same steps for every guess of one length, whatever is in it.
    public func matches(_ guess: String) -> Bool {
        let guess = Array(guess.utf8)
        var difference = UInt8(guess.count == bytes.count && bytes.isEmpty == false ? 0 : 1)
        for (index, byte) in guess.enumerated() where bytes.isEmpty == false { difference |= byte ^ bytes[index % bytes.count] }
        return difference == 0
    }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
}
