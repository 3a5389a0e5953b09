import Foundation
import SottoSecrets
import Testing

@testable import SottoInstallationKey

/// Vectors: RFC 8032 §7.1, tests 1 to 3.
@Suite struct InstallationKeyTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        var result: [UInt8] = []
        var rest = hex[...]
        while rest.isEmpty == false {
            result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return result
    }

    @Test("signs as RFC 8032 says", arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ])
    func vectors(secret: String, publicKey: String, message: String, signature: String) throws {
        let key = try InstallationKey(secret: Self.bytes(secret))
        #expect(key.publicKey == Self.bytes(publicKey))
        #expect(try key.signature(of: Self.bytes(message)) == Self.bytes(signature))
        #expect(key.verifies(Self.bytes(signature), of: Self.bytes(message), key: key.publicKey))
        #expect(key.verifies(Self.bytes(signature), of: Self.bytes(message + "00"), key: key.publicKey) == false)
        #expect(key.verifies([], of: [], key: key.publicKey) == false)
        #expect(key.verifies(Self.bytes(signature), of: Self.bytes(message), key: []) == false)
    }

    @Test("the key is made once, is its owner's alone, and is refused when it cannot be trusted")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "key").path
        let key = try InstallationKey(path: path)
        #expect(try InstallationKey(path: path).publicKey == key.publicKey)
        let mode = try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        #expect(key.fingerprint(of: key.publicKey).count == 39)

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: SecretError.self) { try InstallationKey(path: path) }
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(throws: SecretError.self) { try InstallationKey(path: path) }
        #expect(throws: SecretError.self) { try InstallationKey(path: folder.path + "/none/key") }
    }
}
