internal import CCrypto
internal import Glibc
public import SottoServing

/// The certificate by which a server beyond loopback proves itself, and its private key: a leaf that vouches for nobody but this server.
///
/// ```swift
/// let certificate = try ServerCertificate.make(names: ["192.168.1.20", "desk.local"], at: now)
/// let socket = try ListeningSocket.secured(address: "192.168.1.20", port: 7780, certificate: certificate)
/// print("compare this on the other device: \(certificate.fingerprintText)")
/// ```
/// ECDSA with P-256, signed by itself, for TLS servers only: a device that trusts it trusts no other certificate by that.
public struct ServerCertificate: Sendable {
    /// PEM; public.
    public let certificate: String
    /// PEM (PKCS #8); a secret.
    public let privateKey: String
    /// SHA-256 of the certificate in DER, 32 bytes: what people compare and devices remember.
    public let fingerprint: [UInt8]
    /// DNS names and addresses that it is good for, addresses as the system writes them.
    public let names: Set<String>
    /// Seconds since 1970, after which no client accepts it.
    public let end: Int

    /// The fingerprint as browsers show it.
    public var fingerprintText: String {
        fingerprint.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// Makes a new one.
    ///
    /// - Parameters:
    ///   - names: Host names and IP addresses by which the server is reached, at least one.
    ///   - now: Seconds since 1970. It is good from an hour before, so that a clock that is behind accepts it.
    ///   - days: 397 is what browsers and phones accept of any certificate.
    /// - Throws: ``ServingError`` `.badCertificate`.
    public static func make(names: [String], at now: Int, days: Int = 397) throws(ServingError) -> ServerCertificate {
        let subjects = try names.map { name throws(ServingError) in try subject(name) }
        guard subjects.isEmpty == false, days > 0 else {
            throw ServingError(.badCertificate, "a certificate needs a name and a day of life at least")
        }
        guard let key = unsafe sotto_new_p256_key() else { throw failure }
        defer { unsafe EVP_PKEY_free(key) }
        guard let leaf = unsafe X509_new() else { throw failure }
        defer { unsafe X509_free(leaf) }
        var generator = SystemRandomNumberGenerator()
        // 20 octets are the most (RFC 5280, 4.1.2.2); 16 random ones with the highest bit off are positive, and with the next one on not shorter.
        var serial = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        serial[0] = serial[0] & 0x7F | 0x40
        guard let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil) else { throw failure }
        defer { unsafe BN_free(number) }
        let end = now + days * 86_400
        // Version 3 is written as 2.
        guard unsafe X509_set_version(leaf, 2) == 1, unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(leaf)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notBefore(leaf), time_t(now - 3_600)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(leaf), time_t(end)) != nil, unsafe X509_set_pubkey(leaf, key) == 1
        else { throw failure }
        try unsafe setName("Sotto", of: leaf)
        try unsafe add(NID_basic_constraints, "critical,CA:FALSE", to: leaf)
        try unsafe add(NID_key_usage, "critical,digitalSignature", to: leaf)
        try unsafe add(NID_ext_key_usage, "serverAuth", to: leaf)
        try unsafe add(NID_subject_alt_name, subjects.joined(separator: ","), to: leaf)
        try unsafe add(NID_subject_key_identifier, "hash", to: leaf)
        guard unsafe X509_sign(leaf, key, EVP_sha256()) > 0 else { throw failure }
        let certificate = try unsafe text { output in unsafe PEM_write_bio_X509(output, leaf) }
        let privateKey = try unsafe text { output in unsafe PEM_write_bio_PKCS8PrivateKey(output, key, nil, nil, 0, nil, nil) }
        return try ServerCertificate(certificate: certificate, privateKey: privateKey)
    }

    /// One that was made before, or by somebody else.
    ///
    /// - Parameters:
    ///   - certificate: PEM. The first is the server's.
    ///   - privateKey: PEM without a passphrase.
    /// - Throws: ``ServingError`` `.badCertificate` when one of them cannot be read or they do not belong together.
    public init(certificate: String, privateKey: String) throws(ServingError) {
        let unreadable = ServingError(
            .badCertificate, "the server's certificate or its key is no PEM, or they do not belong together; make a new one")
        guard let leaf = unsafe Self.read(certificate, { input in unsafe PEM_read_bio_X509(input, nil, Self.noPassphrase, nil) }) else {
            throw unreadable
        }
        defer { unsafe X509_free(leaf) }
        guard let key = unsafe Self.read(privateKey, { input in unsafe PEM_read_bio_PrivateKey(input, nil, Self.noPassphrase, nil) }) else {
            throw unreadable
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe X509_check_private_key(leaf, key) == 1 else { throw unreadable }
        var digest = [UInt8](repeating: 0, count: 32)
        var size: UInt32 = 0
        guard unsafe X509_digest(leaf, EVP_sha256(), &digest, &size) == 1, size == 32 else { throw Self.failure }
        var days: Int32 = 0
        var seconds: Int32 = 0
        let epoch = unsafe ASN1_TIME_set(nil, 0)
        defer { unsafe ASN1_TIME_free(epoch) }
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(leaf)) == 1 else { throw unreadable }
        self.certificate = certificate
        self.privateKey = privateKey
        fingerprint = digest
        names = unsafe Self.names(of: leaf)
        end = Int(days) * 86_400 + Int(seconds)
    }

    // MARK: OpenSSL

    private static var failure: ServingError { ServingError(.badCertificate, "OpenSSL made no certificate; is its installation whole?") }

    /// A key with a passphrase must not make the library ask for it on the terminal.
    private static let noPassphrase: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = { _, _, _, _ in
        -1
    }

    /// A name as the extension's text has it. Checked, so that a comma in it adds no other.
    private static func subject(_ name: String) throws(ServingError) -> String {
        if let address = address(name) { return "IP:\(address)" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isHost =
            name.utf8.count <= 253
            && labels.allSatisfy { label in
                label.isEmpty == false && label.utf8.count <= 63 && label.hasPrefix("-") == false && label.hasSuffix("-") == false
                    && label.utf8.allSatisfy { $0 == UInt8(ascii: "-") || isLetterOrDigit($0) }
            }
        guard isHost else { throw ServingError(.badCertificate, "\(name.debugDescription) is no host name and no IP address") }
        return "DNS:\(name.lowercased())"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// An address as the system writes it; `nil` for what is none.
    private static func address(_ text: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        for family in [AF_INET, AF_INET6] where unsafe inet_pton(family, text, &bytes) == 1 { return addressText(family, bytes) }
        return nil
    }

    private static func addressText(_ family: Int32, _ bytes: [UInt8]) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func setName(_ name: String, of leaf: OpaquePointer) throws(ServingError) {
        let subject = unsafe X509_get_subject_name(leaf)
        guard unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_FLAG | 1, Array(name.utf8), -1, -1, 0) == 1,
            unsafe X509_set_issuer_name(leaf, subject) == 1
        else { throw failure }
    }

    private static func add(_ identifier: Int32, _ value: String, to leaf: OpaquePointer) throws(ServingError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, leaf, leaf, nil, nil, 0)
        guard let part = unsafe X509V3_EXT_conf_nid(nil, &context, identifier, value) else { throw failure }
        defer { unsafe X509_EXTENSION_free(part) }
        guard unsafe X509_add_ext(leaf, part, -1) == 1 else { throw failure }
    }

    private static func names(of leaf: OpaquePointer) -> Set<String> {
        guard let list = unsafe X509_get_ext_d2i(leaf, NID_subject_alt_name, nil, nil) else { return [] }
        let entries = OpaquePointer(list)
        defer { unsafe sotto_free_names(entries) }
        var names: Set<String> = []
        for index in 0..<(unsafe sotto_name_count(entries)) {
            var bytes: UnsafePointer<UInt8>?
            var isAddress: Int32 = 0
            let count = unsafe Int(sotto_name(entries, index, &bytes, &isAddress))
            guard count > 0, let start = unsafe bytes else { continue }
            let copy = unsafe Array(UnsafeBufferPointer(start: start, count: count))
            let name = isAddress == 0 ? String(decoding: copy, as: UTF8.self) : addressText(count == 4 ? AF_INET : AF_INET6, copy)
            if let name { names.insert(name) }
        }
        return names
    }

    /// What is written to memory, as text.
    private static func text(_ write: (OpaquePointer) -> Int32) throws(ServingError) -> String {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { throw failure }
        defer { unsafe BIO_free(output) }
        guard unsafe write(output) == 1 else { throw failure }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe BIO_read(output, &bytes, Int32(bytes.count))
        guard count > 0 else { throw failure }
        return String(decoding: bytes[..<Int(count)], as: UTF8.self)
    }

    private static func read(_ text: String, _ parse: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { buffer in
            guard let input = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { unsafe BIO_free(input) }
            return unsafe parse(input)
        }
    }
}
