internal import CCrypto
internal import Glibc
public import SottoSecrets

/// The Ed25519 key of this installation (RFC 8032), through OpenSSL.
///
/// ```swift
/// let key = try InstallationKey(path: places.data + "/installation.key")
/// let signature = try key.signature(of: bytes)
/// ```
/// The file holds the 32 bytes of the private key and is readable by its owner only; it is made when it is first needed.
public struct InstallationKey: Signing {
    private let secret: [UInt8]
    public let publicKey: [UInt8]

    /// - Throws: ``SecretError`` `.damaged` for a file of another length, `.openToOthers`, `.unreadable`, `.notWritten`.
    public init(path: String) throws(SecretError) {
        if let kept = try Self.read(path) { try self.init(secret: kept) } else { try self.init(secret: Self.make(path)) }
    }

    init(secret: [UInt8]) throws(SecretError) {
        self.secret = secret
        publicKey = try Self.publicKey(of: secret)
    }

    public func signature(of bytes: [UInt8]) throws -> [UInt8] {
        guard let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count) else { throw Self.failure }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_MD_CTX_new() else { throw Self.failure }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var length = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            unsafe EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1, length == 64
        else { throw Self.failure }
        return signature
    }

    public func verifies(_ signature: [UInt8], of bytes: [UInt8], key: [UInt8]) -> Bool {
        guard signature.count == 64, key.count == 32, let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count) else {
            return false
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    }

    public func digest(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        let isDone = unsafe EVP_Digest(bytes, bytes.count, &result, nil, EVP_sha256(), nil)
        precondition(isDone == 1, "OpenSSL has no SHA-256")
        return result
    }

    private static let failure = SecretError(.invalid, "the installation's key cannot sign; OpenSSL has no Ed25519")

    private static func publicKey(of secret: [UInt8]) throws(SecretError) -> [UInt8] {
        guard secret.count == 32, let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count) else { throw failure }
        defer { unsafe EVP_PKEY_free(key) }
        var result = [UInt8](repeating: 0, count: 32)
        var length = result.count
        guard unsafe EVP_PKEY_get_raw_public_key(key, &result, &length) == 1, length == 32 else { throw failure }
        return result
    }

    /// - Returns: `nil` when there is none yet.
    private static func read(_ path: String) throws(SecretError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SecretError(.unreadable, "this installation's key at \(path) cannot be read; check who owns it")
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw SecretError(.openToOthers, "others may read this installation's key at \(path): it may be known; remove it, and a new one is made")
        }
        var bytes = [UInt8](repeating: 0, count: 33)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count == 32 else { throw SecretError(.damaged, "this installation's key at \(path) is damaged; remove it, and a new one is made") }
        return Array(bytes.prefix(32))
    }

    private static func make(_ path: String) throws(SecretError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let refusal = SecretError(.notWritten, "this installation's key cannot be written to \(path); check who owns its folder")
        let part = path + ".new"
        _ = unsafe unlink(part)
        let descriptor = unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal }
        let isKept = unsafe write(descriptor, secret, secret.count) == secret.count && fdatasync(descriptor) == 0
        _ = close(descriptor)
        // Linked, not renamed: of two processes that make one, the first wins and both use it.
        let isLinked = unsafe isKept && link(part, path) == 0
        let reason = errno
        _ = unsafe unlink(part)
        if isLinked { return secret }
        guard isKept, reason == EEXIST, let other = try read(path) else { throw refusal }
        return other
    }
}
