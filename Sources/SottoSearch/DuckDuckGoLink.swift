internal import Foundation
internal import SottoSearching

/// Where a link of a DuckDuckGo page really leads.
enum DuckDuckGoLink: Equatable {
    case page(String)
    case advertisement
    /// The last block of some pages: a link to another engine under the title "EOF".
    case end
    case none

    init(_ target: String) { self.init(target, depth: 0, isWrapped: false) }

    private init(_ target: String, depth: Int, isWrapped: Bool) {
        // Redirects hide in redirects, and advertisements in both.
        // What is wrapped is whole.
        guard depth < 4, let address = PageAddress.absolute(target, base: isWrapped ? nil : "https://duckduckgo.com/"),
            let parts = URLComponents(string: address),
            let host = parts.host?.lowercased()
        else {
            self = .none
            return
        }
        let path = parts.percentEncodedPath
        let isOwn = host == "duckduckgo.com" || host.hasSuffix(".duckduckgo.com")
        if isOwn {
            if path == "/y.js" || path == "/m.js" || Self.value("ad_domain", in: parts) != nil || Self.value("ad_provider", in: parts) != nil {
                self = .advertisement
                return
            }
            if let wrapped = Self.value("uddg", in: parts) {
                self.init(wrapped, depth: depth + 1, isWrapped: true)
                return
            }
            if path == "/l/" || path == "/l" || path.hasSuffix("/feedback.html") {
                self = .none
                return
            }
        }
        if Self.sellers.contains(where: { host == $0 || host.hasSuffix("." + $0) }) || (host.hasSuffix("bing.com") && path.hasPrefix("/aclick"))
            || (host.hasSuffix("bing.com") && path.hasPrefix("/aclk")) || (host.hasSuffix("google.com") && path.hasPrefix("/aclk"))
        {
            self = .advertisement
            return
        }
        if host == "www.google.com", path == "/search", depth == 0 {
            self = .end
            return
        }
        self = .page(address)
    }

    private static let sellers = ["googleadservices.com", "doubleclick.net", "googlesyndication.com", "adservice.google.com"]

    /// Decoded once; a value that cannot be decoded is none.
    private static func value(_ key: String, in parts: URLComponents) -> String? {
        for pair in (parts.percentEncodedQuery ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, halves[0] == key else { continue }
            return String(halves[1]).removingPercentEncoding
        }
        return nil
    }
}
