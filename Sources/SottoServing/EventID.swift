/// Where an event stands: in which life of its log, and as which one of it. Written `epoch-number`.
public struct EventID: Sendable, Hashable, CustomStringConvertible {
    /// Of one log since it was made; another one's numbers mean nothing here.
    public var epoch: UInt64
    /// From 1 on, without gaps.
    public var number: UInt64

    public init(epoch: UInt64, number: UInt64) {
        self.epoch = epoch
        self.number = number
    }

    /// - Returns: `nil` for anything that ``description`` does not write.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count <= 16, let epoch = UInt64(parts[0], radix: 16), let number = UInt64(parts[1]) else { return nil }
        self.init(epoch: epoch, number: number)
        guard description == text else { return nil }
    }

    public var description: String { "\(String(epoch, radix: 16))-\(number)" }
}
