import Foundation
import SottoFetching
import SottoModelStore
import SottoObservability
import SottoServing
import SottoSherpaHost

extension App {
    var modelRoutes: [Route] {
        [
            read("/api/models") { _ in try await self.listModels() },
            change(.post, "/api/models/:id/pull") { request in
                try await self.begin("pull", request) { store, id, show in _ = try await store.pull([id], progress: show) }
            },
            change(.post, "/api/models/:id/verify") { request in
                try await self.begin("verify", request) { store, id, show in
                    let bad = try await store.verify([id], progress: show).filter { $0.state != .installed }
                    guard bad.isEmpty else { throw CommandError("not whole: fetch it again") }
                }
            },
            change(.post, "/api/models/:id/cancel") { request in
                guard self.work.cancel(Self.workName(try await self.modelID(request))) else {
                    throw Problem(409, "wrong-state", "nothing is being fetched")
                }
                return HTTPResponse(status: 202)
            },
            change(.delete, "/api/models/:id") { request in
                let id = try await self.modelID(request)
                guard self.work.isGoingOn(Self.workName(id)) == false else {
                    throw Problem(409, "busy", "this model is being fetched; stop that first")
                }
                let bytes = try await self.engines.modelStore().remove(id)
                await self.tellProgress(ModelProgress(id: id, text: "Removed", fraction: nil, done: true))
                return try .json(["bytes": bytes])
            },
        ]
    }

    private static func workName(_ id: String) -> String { "model \(id)" }

    private func modelID(_ request: HTTPRequest) async throws -> String {
        let id = request.parameters["id"] ?? ""
        guard try await engines.modelStore().manifest.models.contains(where: { $0.id == id }) else {
            throw Problem(404, "not-found", "there is no model \"\(id)\"")
        }
        return id
    }

    private struct ModelRows: Encodable {
        struct Standing: Encodable {
            var pulling: Bool
            var inUse: Bool
        }

        var schemaVersion = 1
        var models: [Joined<ModelListing.Row, Standing>]
        var freeBytes: Int64?
    }

    private func listModels() async throws -> HTTPResponse {
        let listing = ModelListing(try await engines.modelStore().list(), engines.sherpaModels.list())
        let loaded = await engines.loadedModels()
        let rows = listing.models.map { model in
            Joined(model, ModelRows.Standing(pulling: work.isGoingOn(Self.workName(model.id)), inUse: loaded.contains(model.id)))
        }
        return try .json(ModelRows(models: rows, freeBytes: context.places.freeBytes))
    }

    private struct ModelProgress: Encodable, Sendable {
        var id: String
        var text: String
        var fraction: Double?
        var done: Bool
        var error: String?
    }

    private func tellProgress(_ progress: ModelProgress) async { _ = try? await events.publish("model-progress", progress) }

    /// Works on a model's files beside everything else.
    private func begin(
        _ verb: String, _ request: HTTPRequest, _ body: @escaping @Sendable (ModelStore, String, @escaping PullProgressHandler) async throws -> Void
    ) async throws -> HTTPResponse {
        let id = try await modelID(request)
        if verb == "pull", Settings.networkPermission(at: context.places.settings).isOffline {
            throw Problem(409, "offline", "Sotto is offline, so no model is fetched; switch that off in the settings")
        }
        let store = try engines.modelStore()
        let isBegun = work.begin(Self.workName(id)) { [events] in
            let end = await events.publishingNewest("model-progress", of: ModelProgress.self) { tell in
                do {
                    try await body(store, id) { progress in
                        let fraction = progress.total > 0 ? Double(progress.completed) / Double(progress.total) : nil
                        tell(ModelProgress(id: id, text: progress.asProgress.line, fraction: fraction, done: false))
                    }
                    return ModelProgress(id: id, text: verb == "pull" ? "Installed and verified" : "Verified", fraction: 1, done: true)
                } catch is CancellationError {
                    return ModelProgress(id: id, text: "Stopped; it goes on where it was", done: true)
                } catch {
                    return ModelProgress(id: id, text: "Failed", done: true, error: Problem.words(for: error))
                }
            }
            return { await self.tellProgress(end) }
        }
        guard isBegun else { throw Problem(409, "busy", "this model is being worked on already") }
        return HTTPResponse(status: 202)
    }
}
