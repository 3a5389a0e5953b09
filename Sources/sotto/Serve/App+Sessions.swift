import Foundation
import SottoHTTPServer
import SottoQRCode
import SottoServing

extension App {
    func sessionRoutes(at door: Door) -> [Route] {
        [
            read("/health", access: .open) { _ in try .json(["status": "ok"]) },
            read("/version", access: .open) { _ in try .json(["name": "sotto", "version": Sotto.version]) },
            change(.post, "/api/session", body: .json(maximumBytes: 4_096), access: .open) { try await self.signIn($0, at: door) },
            read("/api/session") { request in
                try .json(
                    SessionReport(
                        identity: request.identity == .key ? "key" : "session", version: Sotto.version, port: door.port,
                        device: self.device(of: request).map { DeviceReport($0, current: true) }))
            },
            change(.delete, "/api/session") { request in
                if let device = self.device(of: request) { _ = try self.devices.remove(device.id) }
                var response = HTTPResponse.done
                response.headers.add("Set-Cookie", "\(door.cookieName)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
                await self.announce(.devices)
                return response
            },
            read("/api/devices") { request in
                let current = self.device(of: request)?.id
                return try .json(
                    DeviceListing(
                        devices: self.devices.all.sorted { $0.lastSeen > $1.lastSeen }.map { DeviceReport($0, current: $0.id == current) },
                        beyondLoopback: self.outer != nil, addresses: self.addresses, fingerprint: self.outer?.network.certificate.fingerprintText))
            },
            change(.post, "/api/devices/pairing") { _ in try self.pairing() },
            change(.delete, "/api/devices/:id") { request in
                guard try self.devices.remove(request.parameters["id"] ?? "") else {
                    throw Problem(404, "not-found", "there is no such device; it may be signed out already")
                }
                await self.announce(.devices)
                return .done
            },
        ]
    }

    private struct SessionReport: Encodable {
        var schemaVersion = 1
        var identity: String
        var version: String
        var port: Int
        var device: DeviceReport?
    }

    private struct DeviceReport: Encodable {
        var id: String
        var name: String
        var created: String
        var lastSeen: String
        var current: Bool

        init(_ device: DeviceBook.Device, current: Bool) {
            id = device.id
            name = device.name
            created = device.created.reportText
            lastSeen = device.lastSeen.reportText
            self.current = current
        }
    }

    private struct DeviceListing: Encodable {
        var schemaVersion = 1
        var devices: [DeviceReport]
        var beyondLoopback: Bool
        var addresses: [String]
        var fingerprint: String?
    }

    /// Where other devices find the app; this machine's own address when they do not.
    private var addresses: [String] {
        outer.map { outer in (outer.network.addresses + outer.network.names).map { "https://\($0):\(outer.door.port)" } } ?? [
            "http://127.0.0.1:\(door.port)"
        ]
    }

    private func pairing() throws -> HTTPResponse {
        struct Pairing: Encodable {
            var schemaVersion = 1
            var code: String
            var url: String
            var qr: String
            var expires: String
            var fingerprint: String
        }
        guard let outer, let address = addresses.first else {
            throw Problem(
                409, "only-this-machine", "only this machine is let in; switch on \u{201C}lan\u{201D} in the settings and start sotto serve anew")
        }
        let code = devices.makeCode()
        let url = "\(address)/#code=\(code)"
        return try .json(
            Pairing(
                code: code, url: url, qr: try QRCode(url).svg(title: "Address for another device"),
                expires: context.now().addingTimeInterval(Double(DeviceBook.codeLifetime.components.seconds)).reportText,
                fingerprint: outer.network.certificate.fingerprintText))
    }

    private struct Code: Decodable {
        var code: String
        var name: String?
    }

    private func signIn(_ request: HTTPRequest, at door: Door) async throws -> HTTPResponse {
        // Only a page of this server's own may sign a browser in; programs have the key.
        guard request.head.headers["Origin"] != nil else { throw Problem(403, "no-origin", "a browser is signed in by the app's own page") }
        let given = try await request.json(Code.self)
        let name = given.name.flatMap { $0.isEmpty ? nil : String($0.prefix(80)) } ?? request.browserName
        guard let cookie = try devices.redeem(given.code, name: name) else {
            throw Problem(401, "bad-code", "this address was used already, or is older than two minutes; ask for a new one: sotto serve")
        }
        await announce(.devices)
        return HTTPResponse(
            status: 204, headers: HTTPHeaders([Sessions.cookie(door.cookieName, cookie, lifetime: DeviceBook.lifetime, isSecure: door.isSecure)]))
    }

    private func device(of request: HTTPRequest) -> DeviceBook.Device? {
        request.head.headers.cookies.lazy.filter { $0.name.hasPrefix(Door.cookiePrefix) }.compactMap { self.devices.device(of: $0.value) }.first
    }

    /// What a browser calls itself, shortened to what people know: `Firefox on Linux`.
    static func browserName(_ agent: String) -> String {
        let browser = [("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari")].first {
            agent.contains($0.0)
        }?.1
        let system = [("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "Mac"), ("Linux", "Linux")]
            .first {
                agent.contains($0.0)
            }?.1
        return (browser ?? "Browser") + (system.map { " on " + $0 } ?? "")
    }
}

extension HTTPRequest {
    /// What the client's browser calls itself.
    var browserName: String { App.browserName(head.headers["User-Agent"] ?? "") }
}
