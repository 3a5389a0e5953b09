/// Decides whether a request may be answered at all: whose name it came under, whose page sent it, and who it proves to be.
///
/// Exact comparisons only. A pure value; the tests of its rules need no socket.
public struct SecurityPolicy: Sendable {
    /// Names of this server with their ports, in lower case, as browsers write them in `Host`.
    public let hosts: Set<String>
    /// Origins whose pages may ask; those of this server itself.
    public let origins: Set<String>
    private let key: Secret
    private let cookieName: String
    private let isSession: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - hosts: Such as `127.0.0.1:7780`; the port is left out where it is the scheme's own.
    ///   - scheme: `http` or `https`.
    ///   - key: What programs send as `Authorization: Bearer …`.
    ///   - cookieName: Of the session cookie. Cookies do not know ports, so the name should.
    ///   - isSession: Whether that value is a living session's.
    public init(hosts: Set<String>, scheme: String = "http", key: Secret, cookieName: String, isSession: @escaping @Sendable (String) -> Bool) {
        self.hosts = hosts
        origins = Set(hosts.map { "\(scheme)://\($0)" })
        self.key = key
        self.cookieName = cookieName
        self.isSession = isSession
    }

    /// The names under which a server on loopback is reached.
    public static func loopbackHosts(port: Int) -> Set<String> {
        let names = ["127.0.0.1", "localhost", "[::1]"]
        // Browsers leave out the port of the scheme.
        return Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    }

    /// The first check, before anything of the request is looked at: stops DNS rebinding.
    ///
    /// - Throws: ``Problem`` 400 or 403.
    func checkHost(_ head: RequestHead) throws(Problem) {
        let given = head.headers.all("Host")
        guard given.count == 1, let host = given.first, host.isEmpty == false else {
            throw Problem.malformed(400, "bad-host", "a request has one Host field")
        }
        if let authority = head.target.authority, authority.lowercased() != host.lowercased() {
            throw Problem.malformed(400, "bad-host", "the address and the Host field name different servers")
        }
        guard hosts.contains(host.lowercased()) else {
            throw Problem(403, "unknown-host", "this server does not answer under that name; open it at \(hosts.sorted().first ?? "its own address")")
        }
    }

    /// The second check: stops pages of other origins, whatever the browser lets them send.
    ///
    /// - Parameter isLink: Whether a plain link from anywhere may lead here: open pages, which show nothing without a proof.
    /// - Throws: ``Problem`` 403.
    func checkOrigin(_ head: RequestHead, isLink: Bool) throws(Problem) {
        let given = head.headers.all("Origin")
        if given.isEmpty == false {
            guard given.count == 1, origins.contains(given[0]) else {
                throw Problem(403, "foreign-origin", "pages of another origin may not use this server")
            }
        }
        guard let site = head.headers["Sec-Fetch-Site"] else { return }
        guard site != "same-origin", site != "none" else { return }
        let isNavigation = head.headers["Sec-Fetch-Mode"] == "navigate" && head.headers["Sec-Fetch-Dest"] == "document"
        guard isLink, head.method.isSafe, isNavigation else {
            throw Problem(403, "foreign-origin", "pages of another origin may not use this server")
        }
    }

    /// Who the client proves to be.
    ///
    /// - Returns: ``Identity/none`` without any proof.
    /// - Throws: ``Problem`` 401 for a wrong one: a client with an old key is to know.
    func identity(_ head: RequestHead) throws(Problem) -> Identity {
        let authorizations = head.headers.all("Authorization")
        if authorizations.isEmpty == false {
            let parts = authorizations[0].split(separator: " ", maxSplits: 1)
            guard authorizations.count == 1, parts.count == 2, parts[0].lowercased() == "bearer", key.matches(HTTPText.trimmed(parts[1])) else {
                throw Self.unidentified("the key is not this server's")
            }
            return .key
        }
        let values = head.headers.cookies.filter { $0.name == cookieName }.map(\.value)
        // Two of the same name: another port's or a sub-domain's page set one. Neither is believed.
        guard values.count == 1 else { return .none }
        return isSession(values[0]) ? .session : .none
    }

    /// The third check: a route for the identified gets one, and a browser that changes something or opens a WebSocket says whose page it is.
    ///
    /// - Throws: ``Problem`` 401 or 403.
    func checkAccess(_ head: RequestHead, _ identity: Identity, access: Route.Access, needsOrigin: Bool) throws(Problem) {
        guard access == .identified else { return }
        switch identity {
        case .none:
            throw Self.unidentified("this address needs the server's key (Authorization: Bearer …) or a session; open the app from its own start")
        case .key: return
        case .session:
            guard needsOrigin == false || head.headers["Origin"] != nil else {
                throw Problem(403, "no-origin", "a session changes nothing without an Origin field; programs use the key")
            }
        }
    }

    private static func unidentified(_ detail: String) -> Problem {
        Problem(401, "not-identified", detail, headers: [.init("WWW-Authenticate", "Bearer realm=\"sotto\"")])
    }
}
