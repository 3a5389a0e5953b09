import Foundation
import SottoModelStore
import SottoSearch
import SottoSecretStore
import SottoSecrets
import SottoServing
import SottoSpeechEngines

extension App {
    var settingRoutes: [Route] {
        [
            read("/api/settings") { _ in try await self.showSettings() },
            change(.patch, "/api/settings", body: .json(maximumBytes: 64 << 10)) { try await self.changeSettings($0) },
            change(.put, "/api/secrets/:name", body: .json(maximumBytes: 16 << 10)) { request in
                struct Value: Decodable { var value: String }
                let value = try await request.json(Value.self).value.trimmingCharacters(in: .whitespacesAndNewlines)
                guard value.isEmpty == false else { throw Problem(422, "bad-secret", "the secret is empty") }
                try SecretFile(path: self.context.places.secrets).set(try self.secretName(request), to: value)
                await self.announce(.settings)
                return .done
            },
            change(.delete, "/api/secrets/:name") { request in
                try SecretFile(path: self.context.places.secrets).set(try self.secretName(request), to: nil)
                await self.announce(.settings)
                return .done
            },
        ]
    }

    private func secretName(_ request: HTTPRequest) throws -> String {
        let name = request.parameters["name"] ?? ""
        guard SettingForm.secrets.contains(name) else { throw Problem(404, "not-found", "there is no secret \"\(name)\"") }
        return name
    }

    private struct SettingListing: Encodable {
        struct Setting: Encodable {
            var key: String
            var value: String
            var `default`: String
            var kind: SettingForm.Kind
            var choices: [String]?
            var minimum: Double?
            var maximum: Double?
            var unit: String?
            var note: String
        }
        struct Secret: Encodable {
            var name: String
            var isSet: Bool
        }

        var schemaVersion = 1
        var revision: String
        var settings: [Setting]
        var secrets: [Secret]
    }

    private func showSettings() async throws -> HTTPResponse {
        let (settings, standard) = (context.settings, Settings())
        let installed = try await engines.modelStore().list().filter { $0.state == .installed }.map(\.id)
        let voices = ((try? await engines.synthesizer())?.voices ?? []).map(\.name)
        let rows = SettingForm.all.map { form in
            let choices: [String]? =
                switch form.key {
                case "languageModel": [""] + Engines.languageModels.filter { installed.contains($0) }
                case "voice": [""] + voices
                default: form.choices
                }
            return SettingListing.Setting(
                key: form.key, value: settings.value(form.key) ?? "", default: standard.value(form.key) ?? "",
                kind: choices == nil ? form.kind : .choice,
                choices: choices, minimum: form.range?.lowerBound, maximum: form.range?.upperBound, unit: form.unit, note: form.note)
        }
        let secrets = SettingForm.secrets.map { name in SettingListing.Secret(name: name, isSet: ((try? engines.secrets.secret(name)) ?? nil) != nil)
        }
        return try .json(SettingListing(revision: engines.settingsFile.revision, settings: rows, secrets: secrets))
    }

    private func changeSettings(_ request: HTTPRequest) async throws -> HTTPResponse {
        struct Change: Decodable {
            var revision: String
            var values: [String: String]
        }
        let change = try await request.json(Change.self)
        var settings = context.settings
        for (key, value) in change.values.sorted(by: { $0.key < $1.key }) {
            do { try settings.set(key, to: value) } catch let error as CommandError { throw Problem(400, "bad-setting", error.message) }
        }
        guard try engines.settingsFile.write(settings, ifAt: change.revision) else {
            throw Problem(409, "stale", "the settings were changed elsewhere meanwhile; look at them again")
        }
        await announce(.settings)
        return try await showSettings()
    }
}
