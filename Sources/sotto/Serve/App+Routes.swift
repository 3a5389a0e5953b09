import SottoAgents
import SottoJobStore
import SottoServing
import SottoStreams

extension App {
    /// All that the server answers, sorted: `METHOD PATH`, parameters in braces as OpenAPI has them, `websocket` behind conversations.
    static func routeLines(_ context: Context) throws -> [String] {
        // An app that never runs: routes are what it is made of, so the list cannot be another one.
        let clock = try context.jobClock()
        let store = MemoryJobStore()
        let runner = JobRunner(store: store, handlers: [], worker: "none", now: clock, log: context.log)
        let door = Door(port: 0, isSecure: false)
        let app = App(
            context: context, hosting: Hosting(runner: runner, isEnding: CancellationFlag()), store: store, clock: clock, key: Secret(""), door: door)
        return app.routes(files: StaticFiles([:]), at: door).map { route in
            let parts = route.pattern.description.split(separator: "/").map {
                $0.hasPrefix(":") || $0.hasPrefix("*") ? "{\($0.dropFirst())}" : String($0)
            }
            return "\(route.method.rawValue) /\(parts.joined(separator: "/"))\(route.isWebSocket ? " websocket" : "")"
        }.sorted()
    }
}
