import CIDN
import SottoFetching

/// Brings a host into the one form that is checked, looked up and sent.
enum HostName {
    /// - Parameter host: As it stands in an address, percent-decoded; IPv6 in brackets.
    /// - Returns: Lower case ASCII without a final dot; IPv4 in four decimal numbers, IPv6 in its shortest form, without brackets.
    /// - Throws: ``FetchError`` with `.invalidAddress`.
    static func normalized(_ host: String) throws(FetchError) -> String {
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), let address = IPAddress(String(host.dropFirst().dropLast())), address.isVersion4 == false else {
                throw FetchError(.invalidAddress, "\(host) is no IPv6 address")
            }
            return address.description
        }
        var name = host.utf8.allSatisfy { $0 < 0x80 } ? host.lowercased() : try ascii(host)
        if name.hasSuffix(".") { name.removeLast() }
        switch IPv4Spelling.read(name) {
        case .address(let address): return address.description
        case .invalid: throw FetchError(.invalidAddress, "\"\(host)\" is neither a name nor an IPv4 address")
        case .name: break
        }
        let isSound =
            name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                    }
            }
        guard isSound else { throw FetchError(.invalidAddress, "\"\(host)\" is no host name") }
        return name
    }

    /// UTS 46, which also turns other scripts' digits and dots into ASCII ones.
    private static func ascii(_ host: String) throws(FetchError) -> String {
        var result: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let status = unsafe idn2_lookup_u8(host, &result, flags)
        defer { unsafe idn2_free(result) }
        guard status == IDN2_OK.rawValue, let result = unsafe result else {
            throw FetchError(.invalidAddress, "\"\(host)\" is no host name: \(unsafe String(cString: idn2_strerror(status)))")
        }
        return unsafe String(cString: result).lowercased()
    }
}
