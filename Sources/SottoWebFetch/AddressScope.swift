/// Whom an address belongs to, as far as it matters for who may be dialed.
///
/// Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190), IANA IPv6 address space (only 2000::/3 is handed out for
/// global unicast), RFC 4291 (mapped and compatible forms), RFC 6052 and RFC 8215 (NAT64), RFC 3056 (6to4), RFC 4380 (Teredo), RFC 5214 (ISATAP).
package enum AddressScope: String, Sendable, CaseIterable {
    /// Anybody's, and nobody's in particular.
    case global
    case unspecified, loopback, linkLocal, multicast, documentation, benchmarking, reserved
    /// RFC 1918, RFC 4193 and the deprecated site-local addresses.
    case privateUse
    /// Behind a provider's translator, RFC 6598.
    case sharedUse
    /// Where a cloud tells its machines their secrets.
    case metadata
    /// Holds or reaches another address that the checks would not see: mapped, compatible, NAT64, 6to4, Teredo, ISATAP, relays.
    case tunneled

    package init(_ address: IPAddress) {
        let table = address.isVersion4 ? Self.version4 : Self.version6
        if let entry = table.first(where: { address.starts(with: $0.prefix, length: $0.length) }) {
            self = entry.scope
        } else if address.isVersion4 {
            self = .global
        } else if address.bytes[0] >> 5 != 1 {
            self = .reserved
        } else if address.bytes[9..<12] == [0, 0x5E, 0xFE], address.bytes[8] & 0xFD == 0 {
            self = .tunneled
        } else {
            self = .global
        }
    }

    /// In words, for messages.
    package var words: String {
        switch self {
        case .global: "a package address"
        case .unspecified: "no address of anybody"
        case .loopback: "this machine itself"
        case .linkLocal: "the local link"
        case .multicast: "many machines at once"
        case .documentation: "examples in books"
        case .benchmarking: "test networks"
        case .reserved: "nobody yet"
        case .privateUse: "a private network"
        case .sharedUse: "a provider's inner network"
        case .metadata: "a cloud's inner service"
        case .tunneled: "another address inside it"
        }
    }

    private struct Entry: Sendable {
        var prefix: IPAddress
        var length: Int
        var scope: AddressScope

        init?(_ text: String, _ scope: AddressScope) {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let prefix = IPAddress(String(parts[0])), let length = Int(parts[1]) else { return nil }
            (self.prefix, self.length, self.scope) = (prefix, length, scope)
        }
    }

    /// The first that matches counts, so the narrow ones stand first.
    private static let version4: [Entry] = [
        Entry("169.254.169.254/32", .metadata), Entry("100.100.100.200/32", .metadata), Entry("168.63.129.16/32", .metadata),
        Entry("192.0.0.192/32", .metadata),
        Entry("0.0.0.0/8", .unspecified), Entry("10.0.0.0/8", .privateUse), Entry("100.64.0.0/10", .sharedUse), Entry("127.0.0.0/8", .loopback),
        Entry("169.254.0.0/16", .linkLocal), Entry("172.16.0.0/12", .privateUse), Entry("192.0.0.0/24", .reserved),
        Entry("192.0.2.0/24", .documentation),
        Entry("192.88.99.0/24", .tunneled), Entry("192.168.0.0/16", .privateUse), Entry("198.18.0.0/15", .benchmarking),
        Entry("198.51.100.0/24", .documentation), Entry("203.0.113.0/24", .documentation), Entry("224.0.0.0/4", .multicast),
        Entry("240.0.0.0/4", .reserved),
    ].compactMap { $0 }

    private static let version6: [Entry] = [
        Entry("::/128", .unspecified), Entry("::1/128", .loopback), Entry("::ffff:0:0/96", .tunneled), Entry("::ffff:0:0:0/96", .tunneled),
        Entry("::/96", .tunneled),
        Entry("64:ff9b::/96", .tunneled), Entry("64:ff9b:1::/48", .tunneled), Entry("100::/64", .reserved), Entry("2001::/32", .tunneled),
        Entry("2001:2::/48", .benchmarking), Entry("2001::/23", .reserved), Entry("2001:db8::/32", .documentation), Entry("2002::/16", .tunneled),
        Entry("3fff::/20", .documentation), Entry("fd00:ec2::254/128", .metadata), Entry("fc00::/7", .privateUse), Entry("fe80::/10", .linkLocal),
        Entry("fec0::/10", .privateUse), Entry("ff00::/8", .multicast),
    ].compactMap { $0 }
}
