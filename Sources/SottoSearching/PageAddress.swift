internal import Foundation

/// Addresses of pages: what may be one, how it is written, and when two are the same page.
public enum PageAddress {
    /// The longest address that is taken, in bytes.
    public static let maximumLength = 4_096

    /// An absolute http or https address without user and password; `nil` for anything else.
    ///
    /// - Parameter base: What a relative address starts from.
    public static func absolute(_ text: String, base: String? = nil) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.isEmpty == false, trimmed.utf8.count <= maximumLength,
            trimmed.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            return nil
        }
        let url: URL?
        if let base, let start = URL(string: base) {
            url = URL(string: trimmed, relativeTo: start)?.absoluteURL
        } else {
            url = URL(string: trimmed)
        }
        guard let url, let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", let host = url.host, host.isEmpty == false,
            url.user == nil, url.password == nil
        else { return nil }
        return url.absoluteString
    }

    /// The address without keys that only follow people around; everything else stays as it is.
    public static func withoutTracking(_ address: String) -> String {
        let end = address.firstIndex(of: "#") ?? address.endIndex
        guard let mark = address[..<end].firstIndex(of: "?") else { return address }
        let pairs = address[address.index(after: mark)..<end].split(separator: "&", omittingEmptySubsequences: true)
        let kept = pairs.filter { isTracking($0) == false }
        guard kept.count < pairs.count else { return address }
        return address[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")) + address[end...]
    }

    /// What two addresses of one page have in common.
    ///
    /// Scheme, `www.`, default port, fragment, tracking keys, a final slash, and the spelling of percent signs do not tell pages apart; paths and all
    /// other keys do, in the order in which they stand.
    public static func identity(of address: String) -> String {
        guard let parts = URLComponents(string: withoutTracking(address)), let host = parts.percentEncodedHost else { return address }
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("www."), name.dropFirst(4).contains(".") { name.removeFirst(4) }
        var identity = name
        if let port = parts.port, port != 80, port != 443 { identity += ":\(port)" }
        var path = plain(parts.percentEncodedPath)
        while path.hasSuffix("/") { path.removeLast() }
        identity += path
        if let query = parts.percentEncodedQuery, query.isEmpty == false { identity += "?" + plain(query) }
        // Pages of the old kind that name their content behind the mark.
        if let fragment = parts.percentEncodedFragment, fragment.hasPrefix("!") { identity += "#" + plain(fragment) }
        return identity
    }

    /// The host in lower case, without `www.`; empty when there is none.
    public static func site(of address: String) -> String {
        let identity = identity(of: address)
        guard identity != address else { return "" }
        return String(identity.prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" })
    }

    // Keys that mail programs, advertisers and analytics add; sources: the parameter lists of Brave, Firefox and ClearURLs.
    private static let trackingKeys: Set<String> = [
        "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "fbclid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
        "igsh", "mc_cid",
        "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking", "vero_id", "vero_conv", "oly_enc_id", "oly_anon_id",
        "_openstat", "wickedid",
        "s_cid", "srsltid", "ml_subscriber", "ml_subscriber_hash", "rb_clickid", "_ga", "_gl", "li_fat_id", "epik", "ref_src", "ref_url",
        "guce_referrer",
        "guce_referrer_sig", "guccounter", "cmpid", "at_medium", "at_campaign", "ns_mchannel", "ns_source", "ns_campaign", "ns_linkname",
    ]

    private static func isTracking(_ pair: Substring) -> Bool {
        let key = pair.prefix { $0 != "=" }.lowercased()
        return key.hasPrefix("utm_") || key.hasPrefix("pk_") && key.dropFirst(3).allSatisfy(\.isLetter) || key.hasPrefix("mtm_")
            || trackingKeys.contains(key)
    }

    /// Percent signs in one spelling: letters, digits and `-._~` as they are, the rest with capitals.
    private static func plain(_ text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hex(bytes[index + 1]), let low = hex(bytes[index + 2]) {
                let byte = high << 4 | low
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
                default: result += Array("%".utf8) + [digit(high), digit(low)]
                }
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
