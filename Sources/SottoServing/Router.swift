/// Finds the route of a request.
public struct Router: Sendable {
    private let routes: [Route]

    /// - Parameter routes: No two of the same method and pattern.
    public init(_ routes: [Route]) {
        // Particular ones first. The order of equals stays: `sorted` is stable in practice, and equals of one method are refused.
        self.routes = routes.sorted { left, right in
            left.pattern.takesRest == right.pattern.takesRest
                ? left.pattern.rank.lexicographicallyPrecedes(right.pattern.rank) : right.pattern.takesRest
        }
        for (index, route) in routes.enumerated() {
            let isTwice = routes[(index + 1)...].contains { $0.method == route.method && $0.pattern == route.pattern }
            precondition(isTwice == false, "two routes for \(route.method.rawValue) \(route.pattern)")
        }
    }

    /// - Throws: ``Problem`` 404 or 405 (with `Allow`).
    func route(_ method: HTTPMethod, _ target: RequestTarget) throws(Problem) -> (route: Route, parameters: [String: String]) {
        var allowed: Set<String> = []
        let wanted = method == .head ? HTTPMethod.get : method
        for route in routes {
            // What takes everything below is there for addresses that nothing else has.
            if allowed.isEmpty == false, route.pattern.takesRest { break }
            guard let parameters = route.pattern.match(target.segments) else { continue }
            if route.method == wanted { return (route, parameters) }
            allowed.insert(route.method.rawValue)
            if route.method == .get { allowed.insert(HTTPMethod.head.rawValue) }
        }
        guard allowed.isEmpty == false else { throw Problem(404, "not-found", "there is nothing at this address") }
        let list = allowed.sorted().joined(separator: ", ")
        throw Problem(405, "method-not-allowed", "this address answers \(list) only", headers: [.init("Allow", list)])
    }
}
