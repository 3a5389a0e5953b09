import Foundation
import SottoLanguageModels
import SottoLanguageService
import SottoServiceExchange
import SottoStreams
import SottoTestSupport

/// Models by name.
struct ScriptedChat: ChatEngines {
    var models: [String: ScriptedLanguageModel]

    init(_ models: [String: ScriptedLanguageModel]) { self.models = models }

    init(contextLength: Int = 100, _ answer: String) { models = ["scripted": ScriptedLanguageModel(contextLength: contextLength) { _, _ in answer }] }

    func languageModel(_ model: String) async throws -> any LanguageModel {
        if model == "absent" { throw LanguageModelError(.modelNotLoaded, "absent is not installed; get it with: sotto models pull absent") }
        guard let found = models[model] else { throw ServiceError.unknownModel(model) }
        return found
    }
}

extension ChatHandler {
    /// With time and chance fixed.
    init(_ engines: any ChatEngines, configuration: Configuration = Configuration()) {
        self.init(
            engines: engines, configuration: configuration, now: { Date(timeIntervalSince1970: 1_700_000_000) }, chance: { 0x0123_4567_89AB_CDEF })
    }

    func respond(_ json: String, type: String = "application/json; charset=utf-8") async throws -> ServiceResponse {
        try await respond(to: .init(headers: [("Content-Type", type)], body: Array(json.utf8)))
    }
}

extension ServiceResponse {
    var bytes: [UInt8] {
        get async throws {
            switch body {
            case .whole(let bytes): return bytes
            case .stream(let stream):
                var bytes: [UInt8] = []
                for try await part in stream { bytes += part }
                return bytes
            }
        }
    }

    var object: [String: Any] { get async throws { try JSONSerialization.jsonObject(with: Data(try await bytes)) as? [String: Any] ?? [:] } }

    var error: [String: Any] { get async throws { try await object["error"] as? [String: Any] ?? [:] } }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The data of server-sent events.
    var events: [String] {
        get async throws {
            String(decoding: try await bytes, as: UTF8.self).split(separator: "\n\n").map { String($0.trimmingPrefix("data: ")) }
        }
    }
}
