import SottoFetching

/// Follows redirects, one decision at a time; a value without I/O.
struct RedirectPolicy: Sendable {
    /// One request on the way.
    struct Hop: Sendable, Equatable {
        var address: WebAddress
        var method: FetchRequest.Method
        var headers: [FetchRequest.Header]
        var body: [UInt8]
        /// Whether the configured provider's allowance still holds.
        var isAllowed: Bool
    }

    private(set) var hops: [Hop]
    private let limit: Int

    /// - Parameters:
    ///   - address: Where ``FetchRequest/url`` leads.
    ///   - limit: The most redirects.
    init(_ request: FetchRequest, at address: WebAddress, limit: Int) {
        self.limit = limit
        hops = [
            Hop(
                address: address, method: request.method, headers: request.headers, body: request.body,
                isAllowed: request.allowance == address.origin)
        ]
    }

    var current: Hop { hops[hops.count - 1] }

    /// - Returns: Whether there is another hop, which is now ``current``.
    /// - Throws: ``FetchError``: `.tooManyRedirects`, `.redirectLoop`, `.redirectRefused`, and what a bad address gives.
    mutating func follow(status: Int, location: String?) throws(FetchError) -> Bool {
        guard [301, 302, 303, 307, 308].contains(status), let location, location.isEmpty == false else { return false }
        let last = current
        let address = try WebAddress(location, relativeTo: last.address)
        guard hops.count <= limit else {
            throw FetchError(.tooManyRedirects, "\(hops[0].address) leads on and on: more than \(limit) redirects")
        }
        if last.address.origin.scheme == "https", address.origin.scheme == "http" {
            throw FetchError(.redirectRefused, "\(last.address.origin) leads from https down to http, where anybody could change the page")
        }
        let isSameOrigin = address.origin == last.address.origin
        var next = last
        next.address = address
        // RFC 9110 §15.4: 303 always, 301 and 302 by custom, turn POST into GET.
        if status == 303 || (last.method == .post && (status == 301 || status == 302)) {
            next.method = .get
            next.body = []
            next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
        }
        if isSameOrigin == false {
            guard next.method == .get else {
                throw FetchError(.redirectRefused, "\(last.address.origin) wants what was sent to it passed on to \(address.origin); it is not")
            }
            next.headers = []
            next.isAllowed = false
        }
        guard hops.contains(where: { $0.address == address && $0.method == next.method }) == false else {
            throw FetchError(.redirectLoop, "\(address) leads back to itself")
        }
        hops.append(next)
        return true
    }
}
