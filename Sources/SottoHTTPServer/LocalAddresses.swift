internal import Glibc

/// The addresses by which other machines of the same network reach this one.
public enum LocalAddresses {
    /// IPv4 addresses of interfaces that are up, private ones (RFC 1918) first; those of loopback and link-local ones are left out.
    public static func list() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var found: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            defer { unsafe next = entry.pointee.ifa_next }
            guard unsafe entry.pointee.ifa_flags & UInt32(IFF_UP) != 0, unsafe entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                let address = unsafe entry.pointee.ifa_addr, unsafe Int32(address.pointee.sa_family) == AF_INET
            else { continue }
            let number = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr) }
            let bytes = [number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255]
            guard bytes[0] != 127, bytes[0] != 169 || bytes[1] != 254, number != 0 else { continue }
            found.append(bytes.map(String.init).joined(separator: "."))
        }
        let isPrivate = { (text: String) in text.hasPrefix("192.168.") || text.hasPrefix("10.") || (16...31).contains { text.hasPrefix("172.\($0).") }
        }
        return found.filter(isPrivate) + found.filter { isPrivate($0) == false }
    }
}
