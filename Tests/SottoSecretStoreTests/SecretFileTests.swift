import Foundation
import SottoSecretStore
import SottoSecrets
import Testing

@Suite struct SecretFileTests {
    private func withFile(_ body: (SecretFile) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-secrets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(SecretFile(path: folder.appendingPathComponent("sotto/secrets.json").path))
    }

    private func mode(_ path: String) throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }

    @Test("a secret is kept for its owner alone, changed and forgotten")
    func keeps() throws {
        try withFile { file in
            #expect(try file.secret("brave-api-key") == nil)
            try file.set("brave-api-key", to: "one")
            try file.set("other", to: "two")
            #expect(try file.secret("brave-api-key") == "one")
            #expect(try mode(file.path) == 0o600)
            #expect(try mode(URL(fileURLWithPath: file.path).deletingLastPathComponent().path) == 0o700)
            try file.set("brave-api-key", to: nil)
            #expect(try file.names() == ["other"])
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: URL(fileURLWithPath: file.path).deletingLastPathComponent().path) == [
                    "secrets.json"
                ])
        }
    }

    @Test("a file that others may read is refused", arguments: [0o644, 0o640, 0o604, 0o620])
    func open(mode: Int) throws {
        try withFile { file in
            try file.set("a", to: "one")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let error = #expect(throws: SecretError.self) { try file.secret("a") }
            #expect(error?.code == .openToOthers)
            #expect(error?.message.contains("chmod 600") == true && error?.message.contains("one") == false)
        }
    }

    @Test("damage is told, and nothing is overwritten", arguments: ["", "[]", "{", #"{"a":1}"#])
    func damage(text: String) throws {
        try withFile { file in
            try file.set("a", to: "one")
            try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(throws: SecretError.self) { try file.secret("a") }
            #expect(throws: SecretError.self) { try file.set("b", to: "two") }
            #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
        }
    }

    @Test("a link in its place is refused")
    func link() throws {
        try withFile { file in
            try file.set("a", to: "one")
            let elsewhere = file.path + ".elsewhere"
            try FileManager.default.moveItem(atPath: file.path, toPath: elsewhere)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: elsewhere)
            #expect(throws: SecretError.self) { try file.secret("a") }
        }
    }

    @Test("names and values are plain", arguments: [("", "x"), ("A", "x"), ("a b", "x"), ("a", ""), ("a", "x y"), ("a", "x\r\nHost: y"), ("a", "é")])
    func invalid(name: String, value: String) throws {
        try withFile { file in
            let error = #expect(throws: SecretError.self) { try file.set(name, to: value) }
            #expect(error?.code == .invalid)
        }
    }

    @Test("the environment comes before the file")
    func layers() throws {
        try withFile { file in
            try file.set("brave-api-key", to: "file")
            #expect(try LayeredSecrets([EnvironmentSecrets(["SOTTO_BRAVE_API_KEY": "environment"]), file]).secret("brave-api-key") == "environment")
            #expect(try LayeredSecrets([EnvironmentSecrets(["SOTTO_BRAVE_API_KEY": ""]), file]).secret("brave-api-key") == "file")
            #expect(try LayeredSecrets([NoSecrets()]).secret("brave-api-key") == nil)
        }
    }
}
