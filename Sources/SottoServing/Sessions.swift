/// Browsers that were let in, and the codes that let them in once. A value: time and chance are given.
public struct Sessions: Sendable {
    private struct Living {
        var secret: Secret
        var end: Duration
    }

    /// More are not kept: the one that ends first goes.
    private static let most = 64

    private var codes: [Living] = []
    private var sessions: [Living] = []

    public init() {}

    /// Makes a code that opens one session.
    ///
    /// - Parameter now: Since any fixed moment.
    public mutating func makeCode(
        validFor time: Duration = .seconds(120), at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> String {
        Self.add(to: &codes, validFor: time, at: now, using: &generator)
    }

    /// Exchanges a code for a session; the code is used up.
    ///
    /// - Returns: The cookie's value, or `nil` for a code that is wrong, used or too old.
    public mutating func redeem(
        _ code: String, validFor time: Duration = .seconds(30 * 86_400), at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> String? {
        codes.removeAll { $0.end <= now }
        // Every code is compared, so that the time does not tell which.
        let matching = codes.indices.filter { codes[$0].secret.matches(code) }
        guard let index = matching.first else { return nil }
        codes.remove(at: index)
        return Self.add(to: &sessions, validFor: time, at: now, using: &generator)
    }

    public func isLiving(_ value: String, at now: Duration) -> Bool {
        sessions.reduce(false) { found, session in (session.secret.matches(value) && session.end > now) || found }
    }

    /// Ends one session.
    public mutating func end(_ value: String) { sessions.removeAll { $0.secret.matches(value) } }

    /// The field that sets the cookie: no script reads it, no other site's request carries it.
    public static func cookie(_ name: String, _ value: String, lifetime: Duration = .seconds(30 * 86_400), isSecure: Bool = false)
        -> HTTPHeaders.Field
    {
        .init(
            "Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(lifetime.components.seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")")
    }

    private static func add(
        to list: inout [Living], validFor time: Duration, at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> String {
        list.removeAll { $0.end <= now }
        if list.count >= most, let first = list.indices.min(by: { list[$0].end < list[$1].end }) { list.remove(at: first) }
        let (secret, text) = Secret.random(using: &generator)
        list.append(Living(secret: secret, end: now + time))
        return text
    }
}
