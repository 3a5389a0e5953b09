import Foundation
import SottoAgents
import SottoDesktopNotices
import SottoJobStore
import SottoServing
import SottoStreams
import Synchronization

/// What the routes of the app share while a server runs.
final class App: Sendable {
    let context: Context
    let hosting: Hosting
    let store: any JobStore
    let clock: JobClock
    let events: EventLog
    let devices: DeviceBook
    /// What programs prove themselves with.
    let key: Secret
    let door: Door
    /// The way in for other devices; `nil` when only this machine is let in.
    let outer: (door: Door, network: Network)?
    let work: AppWork
    let notifier: DesktopNotifier
    /// Those who are recording by the app now.
    let listeners = ListenerCount(most: 8)
    /// The newest line of progress of each job that runs.
    let progress = Mutex<[JobID: String]>([:])
    /// What lists show of results, by job; read once.
    let digests = Mutex<[JobID: AgentDigest]>([:])
    /// Tokens of requests that made a job.
    let tokens = AddedJobs()

    var engines: Engines { context.engines }
    var runner: JobRunner { hosting.runner }

    init(
        context: Context, hosting: Hosting, store: any JobStore, clock: @escaping JobClock, key: Secret, door: Door,
        outer: (door: Door, network: Network)? = nil
    ) {
        self.context = context
        self.hosting = hosting
        self.store = store
        self.clock = clock
        self.key = key
        self.door = door
        self.outer = outer
        notifier = DesktopNotifier(environment: context.environment)
        events = EventLog(epoch: UInt64.random(in: 1...UInt64.max))
        devices = DeviceBook(path: context.places.devices, now: context.now)
        work = AppWork()
    }

    /// Everything that it answers.
    ///
    /// - Parameters:
    ///   - files: The app's own.
    ///   - door: Where it is asked.
    func routes(files: StaticFiles?, at door: Door) -> [Route] {
        sessionRoutes(at: door) + agentRoutes + liveRoutes + listeningRoutes + takeRoutes + recordingRoutes + speakingRoutes + voiceRoutes
            + libraryRoutes + modelRoutes + settingRoutes
            + healthRoutes + dataRoutes + serviceRoutes + (files.map { [$0.route()] } ?? [])
    }

    /// The address that opens the app in a browser, once, within two minutes.
    func openingAddress() -> String { "http://127.0.0.1:\(door.port)/#code=\(devices.makeCode())" }

    /// Tells everybody who follows that something is to be asked for anew.
    func announce(_ subject: Hosting.Subject) async { await events.publish(subject.rawValue, data: "{}") }

    // MARK: - Making routes

    /// A route whose errors are told as problems.
    func read(_ pattern: RoutePattern, access: Route.Access = .identified, _ answer: @escaping Route.Answer) -> Route {
        .read(pattern, access: access, Self.told(answer))
    }

    /// A route whose errors are told as problems.
    func change(
        _ method: Route.ChangeMethod, _ pattern: RoutePattern, body: BodyRule = .none, access: Route.Access = .identified,
        _ answer: @escaping Route.Answer
    ) -> Route {
        .change(method, pattern, body: body, access: access, Self.told(answer))
    }

    private static func told(_ answer: @escaping Route.Answer) -> Route.Answer {
        { request in
            do { return try await answer(request) } catch {
                guard let problem = Problem(telling: error) else { throw error }
                throw problem
            }
        }
    }
}

extension HTTPRequest {
    /// A whole number of the query.
    ///
    /// - Throws: ``Problem`` 400 for something else, and for one outside the range.
    func number(_ name: String, default value: Int, in range: ClosedRange<Int>) throws -> Int {
        guard let text = head.target.queryValue(name) else { return value }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(400, "bad-query", "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A text of the query; `nil` when it is absent or empty.
    func text(_ name: String) -> String? { head.target.queryValue(name).flatMap { $0.isEmpty ? nil : $0 } }
}

extension HTTPResponse {
    /// An answer that says that it is done, and nothing else.
    static let done = HTTPResponse(status: 204)

    /// A file to keep.
    static func file(_ bytes: [UInt8], type: String, name: String) -> HTTPResponse {
        // Names are ours: letters, digits, dots and dashes, and what else there is goes into the extended form (RFC 6266).
        let plain = String(name.unicodeScalars.map { $0.isASCII && $0 != "\"" && $0 != "\\" && $0.value >= 32 ? Character($0) : "-" })
        let extended = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return HTTPResponse(
            headers: HTTPHeaders([
                .init("Content-Type", type), .init("Content-Disposition", "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(extended)"),
            ]), body: .whole(bytes))
    }
}
