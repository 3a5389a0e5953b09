import CCrypto

/// Hashes a stream of bytes with OpenSSL, which uses the processor's SHA instructions; there is no CryptoKit on Linux.
@safe struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    init() throws(ModelStoreError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw Self.refused }
        guard unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw Self.refused
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Fails only when the context was finished, which nothing here does.
        let result = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(result == 1, "OpenSSL's SHA-256 context is broken")
    }

    /// The digest of what was given so far; more may follow.
    func digest() throws(ModelStoreError) -> SHA256Digest {
        guard let copy = unsafe EVP_MD_CTX_new() else { throw Self.refused }
        defer { unsafe EVP_MD_CTX_free(copy) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let finished = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, buffer.baseAddress, nil) == 1
        }
        guard finished else { throw Self.refused }
        return SHA256Digest(bytes: bytes)
    }

    private static var refused: ModelStoreError {
        ModelStoreError(.fileFailed, "OpenSSL offers no SHA-256 on this machine; reinstall the package libssl3")
    }
}
