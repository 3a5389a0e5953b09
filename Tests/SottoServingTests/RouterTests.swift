@testable import SottoServing
import Testing

@Suite struct RouterTests {
    private static let router = Router([
        .read("/*path", access: .open) { _ in .text("files") },
        .read("/agents/:id") { _ in .text("agent") },
        .change(.delete, "/agents/:id") { _ in .text("gone") },
        .read("/agents/new") { _ in .text("new") },
        .read("/agents") { _ in .text("agents") },
        .change(.post, "/agents", body: .json()) { _ in .text("made") },
        .read("/agents/:id/steps/:step") { _ in .text("step") },
        .change(.post, "/only/post") { _ in .text("") },
    ])

    @Test(
        "the most particular route is taken",
        arguments: [
            (HTTPMethod.get, "/", "/*path", ["path": ""]), (.get, "/a/b.js", "/*path", ["path": "a/b.js"]), (.get, "/agents", "/agents", [:]),
            (.head, "/agents", "/agents", [:]),
            (.post, "/agents", "/agents", [:]), (.get, "/agents/new", "/agents/new", [:]), (.get, "/agents/7", "/agents/:id", ["id": "7"]),
            (.delete, "/agents/new", "/agents/:id", ["id": "new"]),
            (.get, "/agents/7/steps/2", "/agents/:id/steps/:step", ["id": "7", "step": "2"]),
            (.get, "/agents/7/other", "/*path", ["path": "agents/7/other"]),
            (.get, "/agents/a%20b", "/agents/:id", ["id": "a b"]),
        ] as [(HTTPMethod, String, String, [String: String])])
    func finds(_ method: HTTPMethod, _ path: String, _ pattern: String, _ parameters: [String: String]) throws {
        let (route, found) = try Self.router.route(method, RequestTarget(path))
        #expect(route.pattern.description == pattern)
        #expect(found == parameters)
    }

    @Test("another method is answered with those there are") func notAllowed() throws {
        let target = try RequestTarget("/agents/7")
        let problem = #expect(throws: Problem.self) { try Self.router.route(.put, target) }
        #expect(problem?.status == 405)
        #expect(problem?.headers == [.init("Allow", "DELETE, GET, HEAD")])
    }

    @Test("nothing is at an address without a route") func notFound() throws {
        let router = Router([.read("/a") { _ in .text("") }])
        let target = try RequestTarget("/b")
        let problem = #expect(throws: Problem.self) { try router.route(.get, target) }
        #expect(problem?.status == 404)
    }

    @Test("a route that changes something never has a method that promises not to", arguments: Route.ChangeMethod.allCases) func changes(
        _ method: Route.ChangeMethod
    ) {
        #expect(Route.change(method, "/a") { _ in .text("") }.method.isSafe == false)
    }

    @Test("two routes of one address are a mistake in the program") func twice() async {
        await #expect(processExitsWith: .failure) { _ = Router([.read("/a") { _ in .text("") }, .read("/a") { _ in .text("") }]) }
    }
}
