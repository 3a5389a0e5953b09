import Foundation
import SottoLanguageModels
import SottoLanguageService
import SottoModelStore
import SottoServiceExchange

/// Lets chat clients of OpenAI's interface use this machine's language models.
struct ChatService: ChatEngines {
    let engines: Engines

    /// Names that leave the choice to the settings: OpenAI's own, which programs send without asking which there are, and ours.
    static func leavesChoice(_ model: String) -> Bool { model == "sotto" || model.hasPrefix("gpt-") || model.hasPrefix("chatgpt-") }

    func languageModel(_ model: String) async throws -> any LanguageModel {
        do {
            if Self.leavesChoice(model) {
                if let chosen = try await engines.languageModel() { return chosen }
                throw LanguageModelError(.modelNotLoaded, "no language model is installed; get one with: sotto models pull")
            }
            guard try await engines.modelStore().list().contains(where: { $0.id == model && $0.role == "languageModel" }) else { throw ServiceError.unknownModel(model) }
            return try await engines.languageModel(id: model)
        } catch let error as ModelStoreError {
            throw LanguageModelError(.modelNotLoaded, error.message, cause: error)
        }
    }
}

extension Engines {
    /// The models that clients of OpenAI's interface can name, as far as they are installed: those that hear, speak and answer.
    func servedModels() async throws -> [ServedModel] {
        let store = try modelStore()
        var served: [ServedModel] = []
        for row in try await store.list() where row.state == .installed && ["recognizer", "synthesizer", "languageModel"].contains(row.role) {
            let folder = try await store.installed(row.id).folder
            let changed = try? FileManager.default.attributesOfItem(atPath: folder)[.modificationDate] as? Date
            served.append(ServedModel(id: row.id, created: Int(changed?.timeIntervalSince1970 ?? 0), ownedBy: "sotto"))
        }
        return served
    }
}
