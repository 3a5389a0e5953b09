/// Signs what leaves this installation, and checks what others signed.
public protocol Signing: Sendable {
    /// Of this installation: 32 bytes.
    var publicKey: [UInt8] { get }
    /// - Returns: 64 bytes.
    func signature(of bytes: [UInt8]) throws -> [UInt8]
    /// Whether the owner of a public key signed exactly these bytes.
    func verifies(_ signature: [UInt8], of bytes: [UInt8], key: [UInt8]) -> Bool
    /// SHA-256: 32 bytes.
    func digest(_ bytes: [UInt8]) -> [UInt8]
}

extension Signing {
    /// What two people compare to know that a key is the one they mean: the first half of its digest, in groups of four.
    public func fingerprint(of key: [UInt8]) -> String {
        let hex = Array(digest(key).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        return stride(from: 0, to: hex.count, by: 4).map { String(hex[$0..<min($0 + 4, hex.count)]) }.joined(separator: " ")
    }
}
