import Foundation
import Glibc
import SottoAgents
import SottoHTTPServer
import SottoObservability
import SottoOwnership
import SottoServing
import SottoSubprocess
import Synchronization

/// The process that owns the data and shows it in browsers: the host of other commands, with the app's server beside.
struct AppServer: Sendable {
    /// How many ports after a taken one are tried.
    private static let further = 20

    let context: Context
    let lock: OwnerLock
    let port: Int
    let opens: Bool
    /// Whether devices of the home network are let in.
    let isOpenToNetwork: Bool

    /// Serves until the task is cancelled.
    ///
    /// - Throws: ``ServingError``, ``CommandError``, and as ``Host/run(untilIdle:beside:)``.
    func run() async throws {
        Self.raiseDescriptorLimit()
        let socket = try listen()
        let key = try ServerKey(path: context.places.serverKey).secret()
        let files = try files()
        let outer = try isOpenToNetwork ? listenToNetwork(from: socket.port + 1) : nil
        let place = Mutex<App?>(nil)
        try await Host(context: context, lock: lock, handlers: context.jobHandlers(), appAddress: { place.withLock { $0?.openingAddress() } }).run(
            untilIdle: false
        ) {
            hosting, store, clock, last in
            let app = App(
                context: context, hosting: hosting, store: store, clock: clock, key: key, door: Door(port: socket.port, isSecure: false),
                outer: outer.map { (Door(port: $0.socket.port, isSecure: true), $0.network) })
            place.withLock { $0 = app }
            announce(app)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let inner = server(on: socket, app, app.door, hosts: SecurityPolicy.loopbackHosts(port: socket.port), key, files)
                group.addTask { try await inner.run() }
                if let outer, let door = app.outer?.door {
                    let server = server(on: outer.socket, app, door, hosts: outer.network.hosts(port: door.port), key, files)
                    group.addTask { try await server.run() }
                }
                group.addTask { try await app.follow(after: last) }
                group.addTask { try await keepMemoryLow() }
                group.addTask { try await keepRetention() }
                _ = app.work.begin("recordings of before") {
                    await app.resumeRecordings()
                    return {}
                }
                group.addTask { try await follow(app.hosting, app) }
                defer { group.cancelAll() }
                // Whoever ends first, ends all: only a failure or the end of this process does.
                try await group.next()
            }
            await app.events.finish()
            await app.work.end()
        }
    }

    private func server(on socket: ListeningSocket, _ app: App, _ door: Door, hosts: Set<String>, _ key: Secret, _ files: StaticFiles?) -> HTTPServer
    {
        let policy = SecurityPolicy(
            hosts: hosts, scheme: door.isSecure ? "https" : "http", key: key, cookieName: door.cookieName, isSession: { app.devices.isLiving($0) })
        let log = context.log
        return HTTPServer(
            socket: socket, router: Router(app.routes(files: files, at: door)), policy: policy,
            report: { target, error in log.error("\(target) failed: \(error)") })
    }

    private func listenToNetwork(from port: Int) throws -> (socket: ListeningSocket, network: Network) {
        let network = try Network(path: context.places.certificate, now: context.now())
        do throws(ServingError) {
            return (
                try ListeningSocket.secured(
                    addresses: network.addresses, port: min(port, 65_535), further: Self.further, certificate: network.certificate), network
            )
        } catch { throw CommandError(error.message) }
    }

    private func listen() throws -> ListeningSocket {
        do throws(ServingError) {
            let socket = try ListeningSocket.loopback(port: port)
            return socket
        } catch {
            guard error.code == .portTaken else { throw CommandError(error.message) }
            context.console.note("\(error.message.prefix { $0 != ";" }); the next free one is taken")
            do throws(ServingError) { return try ListeningSocket.loopback(port: min(port + 1, 65_535), further: Self.further) } catch {
                throw CommandError(error.message)
            }
        }
    }

    private func files() throws -> StaticFiles? {
        guard let folder = context.environment["SOTTO_WEB"] ?? StaticFolder.besideProgram() else {
            context.console.note("the app's files are not beside this program, so there is only the interface for programs")
            return nil
        }
        do throws(ServingError) { return try StaticFolder.read(folder) } catch { throw CommandError(error.message) }
    }

    private func announce(_ app: App) {
        let address = app.openingAddress()
        context.console.note(
            "Sotto is at http://127.0.0.1:\(app.door.port)/. This opens it, once, within two minutes (for another one: sotto serve):")
        context.console.result(address)
        if let outer = app.outer {
            context.console.note(
                "Other devices: https://\(outer.network.addresses[0]):\(outer.door.port)/, let in by Settings, Devices. Its certificate is this installation's own:"
            )
            context.console.note("  SHA-256 \(outer.network.certificate.fingerprintText)")
        }
        guard opens else { return }
        let environment = context.environment
        // Unstructured: a browser that is started may stay for as long as it is open.
        Task {
            guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
            var request = Subprocess.Request("xdg-open", [address])
            request.environment = environment
            _ = try? await Subprocess.run(request)
        }
    }

    /// Lets go of engines that nobody has used for the time of the settings.
    private func keepMemoryLow() async throws {
        while true {
            try await Task.sleep(for: .seconds(15))
            context.engines.releaseIdle()
        }
    }

    /// Lets go of what was kept for longer than the settings say, now and each day.
    private func keepRetention() async throws {
        while true {
            do { try await DataKeeping(engines: context.engines).sweep(now: context.now()) } catch let error as CancellationError {
                throw error
            } catch {
                context.log.error("what is older than the settings allow could not be removed: \(error)")
            }
            try await Task.sleep(for: .seconds(86_400))
        }
    }

    /// Hands on what commands of guests changed.
    private func follow(_ hosting: Hosting, _ app: App) async throws {
        for await announcement in hosting.announcements.stream {
            await app.events.publish(announcement.subject.rawValue, data: announcement.data)
        }
    }

    /// Each client takes a descriptor, and each that is read to or recorded two more.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// What programs prove themselves with: made at the first start, kept for this user alone.
struct ServerKey: Sendable {
    let path: String

    /// - Throws: ``CommandError`` when it cannot be kept.
    func text() throws -> String {
        if let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self) {
            let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if line.utf8.count >= 32 { return line }
        }
        var generator = SystemRandomNumberGenerator()
        let (_, text) = Secret.random(using: &generator)
        guard PrivateFile.write(Data((text + "\n").utf8), to: path) else {
            throw CommandError("\(path) cannot be written; check who owns its folder")
        }
        return text
    }

    func secret() throws -> Secret { Secret(try text()) }
}
