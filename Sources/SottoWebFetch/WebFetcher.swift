package import Foundation
public import SottoFetching
import SottoStreams

/// The one that opens connections to the outside: libcurl, with every address checked and pinned, at every hop.
///
/// ```swift
/// let fetcher = WebFetcher(ledger: ledger, permission: { NetworkPermission() })
/// let page = try await fetcher.fetch(FetchRequest("https://example.com/", purpose: .page))
/// ```
/// Left out: cookies, passwords, JavaScript, connections that outlive a request.
public struct WebFetcher: Fetching {
    public struct Configuration: Sendable {
        public var limits = FetchLimits()
        /// Names this program to servers.
        public var userAgent = "Mozilla/5.0 (compatible; Sotto/0.1; a personal research assistant; robots.txt: sotto)"
        /// The name that robots.txt files are searched for.
        public var robotsProduct = "sotto"
        /// Requests at once, in all and to one host.
        public var parallel = 4
        public var parallelPerHost = 1
        /// Between two requests to a host.
        public var gap: Duration = .seconds(1)
        /// `http://host:port` of a proxy; `nil`: none, whatever the environment says. Behind a proxy names are looked up there, so addresses
        /// are not pinned.
        public var proxy: String?
        /// Where pages are kept; `nil`: nowhere.
        public var cacheFolder: String?
        public var cacheRetention: Duration = .seconds(30 * 86_400)
        /// In bytes.
        public var cacheSize: Int64 = 256 << 20

        public init() {}
    }

    /// What tests put in the place of the world.
    package struct World: Sendable {
        package var resolver: any Resolving = SystemResolver()
        package var policy = AddressPolicy()
        package var clock: any Clock<Duration> = ContinuousClock()
        package var now: @Sendable () -> Date = { Date() }
        /// Told of each socket before it is made.
        package var opening: @Sendable (IPAddress, Int) -> Void = { _, _ in }
        /// A file of the authorities that are trusted, in place of the system's.
        package var authorities: String?
        package init() {}
    }

    private let configuration: Configuration
    private let ledger: any NetworkLedger
    private let permission: @Sendable () -> NetworkPermission
    private let world: World
    private let gate: HostGate
    private let robots = RobotsCache()
    private let cache: PageCache?

    /// - Parameters:
    ///   - ledger: Every request is entered before anything is opened for it.
    ///   - permission: Asked before every request, redirects too.
    public init(configuration: Configuration = Configuration(), ledger: any NetworkLedger, permission: @escaping @Sendable () -> NetworkPermission) {
        self.init(configuration: configuration, ledger: ledger, permission: permission, world: World())
    }

    package init(
        configuration: Configuration = Configuration(), ledger: any NetworkLedger, permission: @escaping @Sendable () -> NetworkPermission,
        world: World
    ) {
        var configuration = configuration
        // An empty setting is no proxy, and must not switch the checks of the address off.
        if configuration.proxy?.isEmpty == true { configuration.proxy = nil }
        self.configuration = configuration
        self.ledger = ledger
        self.permission = permission
        self.world = world
        var pacing = Pacing.Limits()
        pacing.total = max(1, configuration.parallel)
        pacing.perHost = max(1, configuration.parallelPerHost)
        pacing.gap = configuration.gap
        gate = Self.gate(pacing, world.clock)
        cache = configuration.cacheFolder.map {
            PageCache(folder: $0, limits: .init(bytes: configuration.cacheSize, retention: configuration.cacheRetention), now: world.now)
        }
    }

    private static func gate(_ limits: Pacing.Limits, _ clock: some Clock<Duration>) -> HostGate { HostGate(limits, clock: clock) }

    // MARK: One fetch

    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let address: WebAddress
        do {
            try permission().requireResearch()
            address = try WebAddress(request.url)
        } catch {
            try await refuse(request, request.url, error)
            throw error
        }
        let languages = Self.acceptLanguage(request.languages)
        let stored = request.purpose == .page && request.method == .get ? await cache?.page(address.description, languages: languages) : nil
        if request.usesCache, let stored, stored.page.isFresh(at: world.now()) { return stored.page.response(stored.body) }

        var redirects = RedirectPolicy(request, at: address, limit: configuration.limits.redirects)
        var time = Time(end: ContinuousClock.now + configuration.limits.total)
        while true {
            let hop = redirects.current
            var headers = [FetchRequest.Header("Accept", Self.accept(request.purpose))]
            if languages.isEmpty == false { headers.append(.init("Accept-Language", languages)) }
            var delay = Duration.zero
            if request.purpose == .page { delay = try await askRobots(hop, request, &time) }
            if let stored, stored.page.finalURL == hop.address.description { headers += stored.page.validators }
            let result = try await exchange(hop, request, headers: headers, delay: delay, &time)
            do {
                if try redirects.follow(status: result.status, location: result.headers["location"]) { continue }
            } catch {
                try await refuse(request, result.headers["location"] ?? "", error)
                throw error
            }
            if result.status == 304, let (known, body) = stored {
                var page = known
                page.confirmed = world.now()
                page.headers.merge(result.headers.filter { Self.renewed.contains($0.key) }) { $1 }
                await cache?.store(page, body: body)
                return page.response(body)
            }
            let response = FetchResponse(
                status: result.status, finalURL: hop.address.description, hops: redirects.hops.map(\.address.description), headers: result.headers,
                body: result.body,
                kind: result.kind, charset: Self.charset(result.headers["content-type"]), isTruncated: result.isTruncated, isFromCache: false,
                date: world.now())
            if request.purpose == .page, request.method == .get, Freshness(status: result.status, headers: result.headers).mayStore {
                await cache?.store(CachedPage(response, url: address.description, languages: languages), body: response.body)
            }
            return response
        }
    }

    /// When a fetch must be over; waiting for a turn does not count.
    private struct Time {
        var end: ContinuousClock.Instant
    }

    // MARK: One request

    private func exchange(
        _ hop: RedirectPolicy.Hop, _ request: FetchRequest, headers: [FetchRequest.Header], delay: Duration, _ time: inout Time
    ) async throws -> HTTPExchange.Result {
        let origin = hop.address.origin
        let before = ContinuousClock.now
        let worker = try await gate.enter(origin.host)
        time.end += ContinuousClock.now - before
        let deadline = time.end
        var rest: Duration? = .zero
        do {
            let result = try await recorded(hop, request) { () async throws -> HTTPExchange.Result in
                let addresses = try await checked(hop)
                let exchange = HTTPExchange(
                    hop: hop, addresses: addresses, headers: headers, userAgent: configuration.userAgent, proxy: try proxy(),
                    limits: configuration.limits,
                    deadline: deadline, readsPage: request.purpose == .page, authorities: world.authorities,
                    opening: world.opening)
                return await withCancellationFlag { flag in await worker.run(exchange, flag: flag) }
            }
            let isRedirect = (300..<400).contains(result.status) && result.headers["location"] != nil
            let asked = result.status == 429 || result.status == 503 ? Duration.seconds(Int(result.headers["retry-after"] ?? "") ?? 0) : .zero
            rest = request.purpose == .robots || isRedirect ? nil : max(delay, asked)
            await gate.leave(origin.host, worker, rest: rest)
            return result
        } catch {
            await gate.leave(origin.host, worker, rest: rest)
            throw error
        }
    }

    /// The addresses that a hop may dial.
    private func checked(_ hop: RedirectPolicy.Hop) async throws -> [IPAddress] {
        let origin = hop.address.origin
        if let literal = IPAddress(origin.host) { try world.policy.check([literal], of: origin, isAllowed: hop.isAllowed) }
        let proxy = try proxy()
        // A proxy is the user's own choice, wherever it stands.
        let dialed = proxy?.origin ?? origin
        let addresses: [IPAddress]
        if let literal = IPAddress(dialed.host) {
            addresses = [literal]
        } else {
            addresses = try await world.resolver.addresses(of: dialed.host, within: configuration.limits.connect)
        }
        if proxy == nil { try world.policy.check(addresses, of: origin, isAllowed: hop.isAllowed) }
        return addresses
    }

    private func proxy() throws(FetchError) -> WebAddress? {
        guard let text = configuration.proxy else { return nil }
        do { return try WebAddress(text) } catch {
            throw FetchError(.invalidAddress, "the proxy of the settings is no address: \(error.message)", cause: error)
        }
    }

    // MARK: The ledger

    private func row(_ hop: RedirectPolicy.Hop, _ request: FetchRequest) -> NetworkLedgerRow {
        NetworkLedgerRow(
            time: world.now(), job: request.job, purpose: request.purpose, origin: request.origin, method: hop.method, url: hop.address.description,
            host: hop.address.origin.host, port: hop.address.origin.port, sentBytes: Int64(hop.body.count))
    }

    /// Enters a request, lets `body` make it, and enters how it ended.
    private func recorded(
        _ hop: RedirectPolicy.Hop, _ request: FetchRequest, _ body: () async throws -> HTTPExchange.Result
    ) async throws -> HTTPExchange.Result {
        var entry = row(hop, request)
        do { try permission().requireResearch() } catch {
            entry.ending = NetworkLedgerEnding(.refused, reason: error.code)
            _ = try await begin(entry)
            throw error
        }
        let id = try await begin(entry)
        let isPinned = configuration.proxy == nil
        var ending: NetworkLedgerEnding
        let outcome: Result<HTTPExchange.Result, any Error>
        do {
            let result = try await body()
            ending = NetworkLedgerEnding(
                .answered, address: result.address, isPinned: isPinned, status: max(0, result.status), receivedBytes: result.receivedBytes)
            if result.isCancelled {
                ending.outcome = .cancelled
                outcome = .failure(CancellationError())
            } else if let failure = result.failure {
                ending.outcome = .failed
                ending.reason = failure.code
                outcome = .failure(failure)
            } else {
                outcome = .success(result)
            }
        } catch let error as FetchError {
            ending = NetworkLedgerEnding(error.code == .nameNotFound ? .failed : .refused, reason: error.code, isPinned: isPinned)
            outcome = .failure(error)
        } catch {
            ending = NetworkLedgerEnding(error is CancellationError ? .cancelled : .failed, isPinned: isPinned)
            outcome = .failure(error)
        }
        let ledger = ledger
        let final = ending
        // Unstructured, because a cancelled task could no longer write how its request ended.
        let writing = Task { try await ledger.finish(id, final) }
        do { try await writing.value } catch { throw FetchError(.ledgerFailed, "the network ledger could not be written: \(error)", cause: error) }
        return try outcome.get()
    }

    private func begin(_ row: NetworkLedgerRow) async throws -> Int64 {
        do { return try await ledger.begin(row) } catch let error as CancellationError { throw error } catch {
            throw FetchError(.ledgerFailed, "nothing was asked, for the network ledger could not be written: \(error)", cause: error)
        }
    }

    /// Enters what did not even become a request.
    private func refuse(_ request: FetchRequest, _ url: String, _ error: any Error) async throws {
        guard let error = error as? FetchError else { return }
        let address = try? WebAddress(url)
        _ = try await begin(
            NetworkLedgerRow(
                time: world.now(), job: request.job, purpose: request.purpose, origin: request.origin, method: request.method,
                url: address?.description ?? Self.withoutCredentials(url), host: address?.origin.host ?? "", port: address?.origin.port ?? 0,
                ending: NetworkLedgerEnding(.refused, reason: error.code)))
    }

    /// As given, but for a name and password in it: the ledger keeps no secrets.
    private static func withoutCredentials(_ url: String) -> String {
        let shown = url.prefix(2_000)
        guard let end = shown.lastIndex(of: "@") else { return String(shown) }
        let start = shown.range(of: "//").map(\.upperBound) ?? shown.startIndex
        return start <= end ? shown[..<start] + "…" + shown[end...] : String(shown)
    }

    // MARK: Robots

    /// - Returns: How long to leave the host alone afterwards.
    /// - Throws: ``FetchError`` with `.disallowedByRobots` or `.robotsUnreachable`.
    private func askRobots(_ hop: RedirectPolicy.Hop, _ request: FetchRequest, _ time: inout Time) async throws -> Duration {
        let origin = hop.address.origin
        var finding = try await robots.finding(for: origin, at: world.now())
        if finding == nil {
            let found: RobotsCache.Finding
            do { found = try await readRobots(hop, request, &time) } catch {
                await robots.giveUp(origin)
                // What holds for the host holds for its pages too, and says more than "no robots.txt". The page has its row all the same.
                try await refuse(request, hop.address.description, error)
                throw error
            }
            await robots.store(found, for: origin, at: world.now())
            finding = found
        }
        let error: FetchError
        switch finding {
        case .rules(let rules):
            if rules.allows(hop.address.target) { return .seconds(min(rules.delay ?? 0, 30)) }
            error = FetchError(
                .disallowedByRobots, "\(origin) asks in its robots.txt that programs do not read \(hop.address.target); open it in a browser")
        case .unreachable, nil:
            error = FetchError(.robotsUnreachable, "\(origin) could not say what programs may read (its robots.txt fails); try again later")
        }
        try await refuse(request, hop.address.description, error)
        throw error
    }

    private func readRobots(_ hop: RedirectPolicy.Hop, _ page: FetchRequest, _ time: inout Time) async throws -> RobotsCache.Finding {
        let address = WebAddress(origin: hop.address.origin, target: "/robots.txt")
        var request = FetchRequest(address.description, purpose: .robots)
        request.job = page.job
        request.origin = "robots.txt for \(page.origin.isEmpty ? "a page" : page.origin)"
        request.allowance = hop.isAllowed ? hop.address.origin : nil
        var redirects = RedirectPolicy(request, at: address, limit: configuration.limits.redirects)
        while true {
            let result: HTTPExchange.Result
            do {
                result = try await exchange(redirects.current, request, headers: [.init("Accept", Self.accept(.robots))], delay: .zero, &time)
            } catch let error as FetchError {
                if redirects.hops.count == 1 { throw error }
                return .unreachable
            }
            do {
                if try redirects.follow(status: result.status, location: result.headers["location"]) { continue }
            } catch {
                // §2.3.1.2: after five redirects it counts as unavailable; one that leads to a forbidden place too.
                return .rules(.none)
            }
            switch result.status {
            case 200..<300: return .rules(RobotsRules(result.body, product: configuration.robotsProduct))
            // The standard leaves it open what 429 means; a host that is asked too much is not asked more.
            case 429, 500...: return .unreachable
            default: return .rules(.none)
            }
        }
    }

    // MARK: Headers

    private static let renewed: Set<String> = ["cache-control", "expires", "etag", "last-modified", "age", "date"]

    private static func accept(_ purpose: FetchRequest.Purpose) -> String {
        switch purpose {
        case .page: "text/html, application/xhtml+xml, application/pdf, text/*;q=0.9, application/json;q=0.7, application/xml;q=0.7, */*;q=0.1"
        case .search: "text/html, application/json, application/xml;q=0.9, */*;q=0.5"
        case .robots: "text/plain, */*;q=0.1"
        }
    }

    /// The first tag as it is, each later one a tenth less wanted; what is no tag is left out.
    static func acceptLanguage(_ tags: [String]) -> String {
        let sound = tags.filter { tag in
            tag.isEmpty == false && tag.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == UInt8(ascii: "-") }
        }
        return sound.prefix(9).enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
    }

    static func charset(_ contentType: String?) -> String? {
        for part in (contentType ?? "").split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == "charset" else { continue }
            let label = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'"))
            return label.isEmpty ? nil : label
        }
        return nil
    }
}

extension CachedPage {
    init(_ response: FetchResponse, url: String, languages: String) {
        self.init(
            url: url, languages: languages, finalURL: response.finalURL, hops: response.hops, headers: response.headers, kind: response.kind,
            charset: response.charset, isTruncated: response.isTruncated, date: response.date, confirmed: response.date, bodySize: response.body.count
        )
    }
}
