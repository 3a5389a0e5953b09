import Foundation
import SottoHTTPServer
import SottoServing
import SottoSubprocess
import Testing

@Suite struct ServerCertificateTests {
    private static func openssl(_ arguments: [String], input: String) async throws -> String {
        let output = try await Subprocess.run(Subprocess.Request("openssl", arguments, input: .bytes(Array(input.utf8))))
        return String(decoding: try output.checked(), as: UTF8.self)
    }

    @Test("another program reads what was made: names, life, use, key and fingerprint") func made() async throws {
        // 2026-11-30 12:00 UTC.
        let now = 1_796_040_000
        let certificate = try ServerCertificate.make(names: ["desk.local", "192.168.1.20", "fe80::1", "LOCALHOST"], at: now, days: 397)
        #expect(certificate.names == ["desk.local", "192.168.1.20", "fe80::1", "localhost"])
        #expect(certificate.end == now + 397 * 86_400)
        let text = try await Self.openssl(["x509", "-noout", "-text", "-fingerprint", "-sha256"], input: certificate.certificate)
        #expect(text.contains("DNS:desk.local, IP Address:192.168.1.20, IP Address:FE80:0:0:0:0:0:0:1, DNS:localhost"))
        #expect(text.contains("Version: 3 (0x2)") && text.contains("ecdsa-with-SHA256") && text.contains("NIST CURVE: P-256"))
        #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
        #expect(text.contains("X509v3 Key Usage: critical\n                Digital Signature\n"))
        #expect(text.contains("TLS Web Server Authentication\n"))
        #expect(text.contains("Not Before: Nov 30 11:00:00 2026 GMT") && text.contains("Not After : Jan  1 12:00:00 2028 GMT"))
        #expect(text.lowercased().contains("sha256 fingerprint=\(certificate.fingerprintText.lowercased())\n"))
        #expect(certificate.fingerprintText.count == 95 && certificate.fingerprint.count == 32)
        let ofCertificate = try await Self.openssl(["x509", "-noout", "-pubkey"], input: certificate.certificate)
        let ofKey = try await Self.openssl(["pkey", "-pubout"], input: certificate.privateKey)
        #expect(ofCertificate == ofKey && ofKey.contains("BEGIN PUBLIC KEY"))
    }

    @Test("no two are alike, and what is kept is read as it was") func kept() throws {
        let first = try ServerCertificate.make(names: ["a"], at: 1_796_040_000)
        let second = try ServerCertificate.make(names: ["a"], at: 1_796_040_000)
        #expect(first.fingerprint != second.fingerprint && first.privateKey != second.privateKey)
        let again = try ServerCertificate(certificate: first.certificate, privateKey: first.privateKey)
        #expect(again.fingerprint == first.fingerprint && again.names == first.names && again.end == first.end)
        #expect(throws: ServingError.self) { try ServerCertificate(certificate: first.certificate, privateKey: second.privateKey) }
        #expect(throws: ServingError.self) { try ServerCertificate(certificate: "", privateKey: first.privateKey) }
        #expect(throws: ServingError.self) {
            try ServerCertificate(certificate: first.certificate, privateKey: String(first.privateKey.dropLast(80)))
        }
        #expect(throws: ServingError.self) {
            try ServerCertificate(certificate: String(first.certificate.dropLast(200)), privateKey: first.privateKey)
        }
    }

    @Test("a key with a passphrase is refused, not asked for") func passphrase() async throws {
        let made = try ServerCertificate.make(names: ["a"], at: 1_796_040_000)
        let locked = try await Self.openssl(["pkey", "-aes128", "-passout", "pass:word"], input: made.privateKey)
        let error = #expect(throws: ServingError.self) { try ServerCertificate(certificate: made.certificate, privateKey: locked) }
        #expect(error?.code == .badCertificate)
    }

    @Test(
        "a name that is none is refused, and cannot smuggle in another",
        arguments: [
            "", "a,DNS:evil.example", "a b", "*.example", "-a", "a-", "a..b", "a.", "ü.example", "300.1.1.1:5", "fe80::1%lo", "a\n", "a\u{0}b",
            String(repeating: "a", count: 64),
        ])
    func names(_ name: String) {
        let error = #expect(throws: ServingError.self) { try ServerCertificate.make(names: [name], at: 1_796_040_000) }
        #expect(error?.code == .badCertificate)
    }

    @Test("without a name or a day of life there is none") func nothing() {
        #expect(throws: ServingError.self) { try ServerCertificate.make(names: [], at: 1_796_040_000) }
        #expect(throws: ServingError.self) { try ServerCertificate.make(names: ["a"], at: 1_796_040_000, days: 0) }
    }
}
