import Testing

@testable import SottoModelStore

@Suite struct SHA256HasherTests {
    /// FIPS 180-4 example values (NIST, "SHA-256 examples").
    @Test("the standard's vectors", arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func vectors(text: String, expected: String) throws {
        var hasher = try SHA256Hasher()
        unsafe Array(text.utf8).withUnsafeBytes { unsafe hasher.update($0) }
        #expect(try hasher.digest().hex == expected)
    }

    @Test("a digest on the way leaves the rest of the stream untouched")
    func midway() throws {
        var hasher = try SHA256Hasher()
        unsafe Array("ab".utf8).withUnsafeBytes { unsafe hasher.update($0) }
        // echo -n ab | sha256sum
        #expect(try hasher.digest().hex == "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603")
        unsafe Array("c".utf8).withUnsafeBytes { unsafe hasher.update($0) }
        #expect(try hasher.digest().hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("only 64 hexadecimal digits are a digest", arguments: ["", "abc", String(repeating: "g", count: 64), String(repeating: "a", count: 65)])
    func badDigests(text: String) {
        #expect(SHA256Digest(hex: text) == nil)
    }
}
