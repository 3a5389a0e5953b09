import SottoLanguageService
import SottoModelStore
import SottoServiceExchange
import SottoServing
import SottoSpeechService
import SottoVoices

extension App {
    /// What existing clients ask for.
    var serviceRoutes: [Route] {
        let engines = ServiceEngines(context: context)
        let hearing = BodyRule(maximumBytes: 130 << 20, contentTypes: ["multipart/form-data"])
        return [
            read("/v1/models") { _ in HTTPResponse(ServiceResponse.models(try await self.serviceModels())) },
            read("/v1/models/:id") { request in
                HTTPResponse(ServiceResponse.model(request.parameters["id"] ?? "", among: try await self.serviceModels()))
            },
            change(.post, "/v1/chat/completions", body: .json(maximumBytes: 4 << 20)) { request in
                HTTPResponse(try await ChatHandler(engines: engines).respond(to: ServiceRequest(request)))
            },
            change(.post, "/v1/audio/transcriptions", body: hearing) { request in
                HTTPResponse(try await TranscriptionHandler(engines: engines).respond(to: ServiceRequest(request)))
            },
            change(.post, "/v1/audio/translations", body: hearing) { request in
                HTTPResponse(try await TranscriptionHandler(engines: engines, translating: true).respond(to: ServiceRequest(request)))
            },
            change(.post, "/v1/audio/speech", body: .json(maximumBytes: 1 << 20)) { request in
                var response = HTTPResponse(try await SpeechHandler(engines: engines).respond(to: ServiceRequest(request)))
                // Whoever keeps the file is told what it is, where the form of the file has no place for it.
                if let voice = response.headers["Sotto-Voice"], self.engines.voiceFolder.voices().contains(where: { $0.name == voice }) {
                    response.headers.set("Sotto-Synthetic-Speech", SyntheticSpeechMark.comment)
                }
                return response
            },
        ]
    }

    private func serviceModels() async throws -> [ServedModel] {
        let known = Engines.languageModels + [Engines.recognizerModel, Engines.languagesModel, Engines.synthesizerModel]
        return try await engines.modelStore().list().filter { $0.state == .installed && known.contains($0.id) }.map {
            ServedModel(id: $0.id, created: 0, ownedBy: "sotto")
        }
    }
}

extension ServiceRequest {
    fileprivate init(_ request: HTTPRequest) {
        self.init(headers: request.head.headers.fields.map { ($0.name, $0.value) }, body: request.body.produced)
    }
}

extension HTTPResponse {
    fileprivate init(_ response: ServiceResponse) {
        let headers = HTTPHeaders(response.headers.map { .init($0.name, $0.value) })
        switch response.body {
        case .whole(let bytes): self.init(status: response.status, headers: headers, body: .whole(bytes))
        case .stream(let pieces): self.init(status: response.status, headers: headers, body: .stream(pieces))
        }
    }
}
