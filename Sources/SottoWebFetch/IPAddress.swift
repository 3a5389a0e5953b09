import Glibc

/// A numeric address of the internet, version 4 or 6.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16, the most significant first.
    package let bytes: [UInt8]

    /// - Parameter bytes: 4 or 16.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    init(version4 value: UInt32) { bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// Reads the one usual spelling: four decimal numbers without leading zeros, or RFC 4291 §2.2. Anything else, zone indexes too, gives `nil`.
    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes[..<4])
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    package var isVersion4: Bool { bytes.count == 4 }

    package var description: String {
        if isVersion4 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether the first `length` bits are those of `prefix`.
    func starts(with prefix: IPAddress, length: Int) -> Bool {
        guard bytes.count == prefix.bytes.count else { return false }
        let whole = length / 8
        guard bytes[..<whole] == prefix.bytes[..<whole] else { return false }
        let rest = length % 8
        return rest == 0 || bytes[whole] >> (8 - rest) == prefix.bytes[whole] >> (8 - rest)
    }
}

// MARK: - Socket addresses

extension IPAddress {
    /// - Parameter address: As the kernel and libcurl hold it.
    /// - Returns: `nil` for other families than the internet's.
    static func from(_ address: UnsafePointer<sockaddr>) -> (address: IPAddress, port: Int)? {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                let value = unsafe UInt32(bigEndian: pointer.pointee.sin_addr.s_addr)
                return (IPAddress(version4: value), unsafe Int(UInt16(bigEndian: pointer.pointee.sin_port)))
            }
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                let bytes = unsafe withUnsafeBytes(of: pointer.pointee.sin6_addr) { unsafe Array($0) }
                let port = unsafe Int(UInt16(bigEndian: pointer.pointee.sin6_port))
                return IPAddress(bytes: bytes).map { ($0, port) }
            }
        default: return nil
        }
    }
}
