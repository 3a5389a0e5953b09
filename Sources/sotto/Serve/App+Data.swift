import Foundation
import SottoAgents
import SottoHTTPServer
import SottoSQLiteStore
import SottoServing
import Synchronization

extension App {
    var dataRoutes: [Route] {
        [
            read("/api/data") { _ in try .json(try await DataKeeping(engines: self.engines).inventory()) },
            read("/api/data/export") { try await self.exportData($0) },
            change(.post, "/api/data/erase", body: .json(maximumBytes: 4_096)) { try await self.eraseData($0) },
        ]
    }

    private func exportData(_ request: HTTPRequest) async throws -> HTTPResponse {
        let zone = try context.scheduleZone()
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-export-\(UUID().uuidString).zip").path
        // Open, it goes on after its name is gone.
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await DataKeeping(engines: engines).export(
            to: path, withSecrets: false, words: JobWords(now: context.now(), zone: zone, isServed: true))
        var response = HTTPResponse.content(try FileContent.open(path, type: "application/zip"), for: request.head)
        response.headers.set("Content-Disposition", "attachment; filename=\"sotto-\(context.now().reportText.prefix(10)).zip\"")
        return response
    }

    private func eraseData(_ request: HTTPRequest) async throws -> HTTPResponse {
        struct Wish: Decodable {
            var parts: [String]
            var confirm: String
        }
        let wish = try await request.json(Wish.self)
        guard wish.confirm == "erase" else { throw Problem(422, "not-confirmed", "erasing is for good: it is confirmed by the word erase") }
        let parts = try wish.parts.map { name in
            guard let part = DataPart(rawValue: name), part.canErase else { throw Problem(422, "bad-part", "there is nothing \"\(name)\" to erase") }
            return part
        }
        guard parts.isEmpty == false else { throw Problem(422, "bad-part", "name what is to be erased") }
        let keeping = DataKeeping(engines: engines)
        struct Rest: Encodable {
            /// What could not go, one line each.
            var left: [String]
        }
        let left: [String]
        do { left = try await keeping.erase(Set(parts)) } catch let error as SQLiteError where error.code == .busy {
            throw Problem(409, "wrong-state", error.message)
        }
        if parts.contains(.access) { devices.forgetAll() }
        digests.withLock { $0 = [:] }
        for subject in [Hosting.Subject.schedules, .library, .voices, .settings, .takes, .devices] { await announce(subject) }
        // Every list is to be asked for anew.
        if parts.contains(.agents) { await events.publish("erased", data: "{}") }
        return try .json(Joined(try await keeping.inventory(), Rest(left: left)))
    }
}
