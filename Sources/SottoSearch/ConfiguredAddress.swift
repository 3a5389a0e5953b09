internal import Foundation
internal import SottoFetching
internal import SottoSearching

/// A server that the user named in the settings, which may be on this machine or in a private network.
struct ConfiguredAddress: Sendable, Equatable {
    /// Without query, fragment and final slash.
    let base: String
    /// Who is meant: requests to exactly this scheme, host and port may reach a private address, and no others.
    let origin: WebOrigin

    /// - Returns: `nil` for anything but an absolute http or https address without user and password.
    init?(_ text: String) {
        guard let address = PageAddress.absolute(text), var parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            var host = parts.encodedHost?.lowercased()
        else { return nil }
        parts.query = nil
        parts.fragment = nil
        guard var base = parts.string else { return nil }
        while base.hasSuffix("/") { base.removeLast() }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.hasSuffix(".") { host.removeLast() }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        guard host.isEmpty == false, (1...65_535).contains(port) else { return nil }
        self.base = base
        origin = WebOrigin(scheme: scheme, host: host, port: port)
    }
}
