public import SottoSecrets
internal import Foundation
internal import Glibc

/// Secrets in one JSON object in a file that only its owner may read (mode 0600), for machines without a secret service.
public struct SecretFile: Secrets {
    public let path: String
    private static let maximumBytes = 1 << 20

    public init(path: String) { self.path = path }

    /// - Throws: ``SecretError`` `.openToOthers` when others may read the file: what is in it may be known already.
    public func secret(_ name: String) throws(SecretError) -> String? { try all()[name] }

    /// The names that have a secret, in order.
    public func names() throws(SecretError) -> [String] { try all().keys.sorted() }

    /// Keeps a secret, or forgets it (`nil`). The file is replaced as a whole, so a failure keeps the old one.
    public func set(_ name: String, to value: String?) throws(SecretError) {
        guard name.isEmpty == false, name.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }) else {
            throw SecretError(.invalid, "the name of a secret has lower-case letters, digits and hyphens, not \"\(name)\"")
        }
        if let value {
            guard value.isEmpty == false, value.utf8.count <= 4_096, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw SecretError(.invalid, "the secret \"\(name)\" must be one word of at most 4096 plain characters")
            }
        }
        var secrets = try all()
        secrets[name] = value
        try write(secrets)
    }

    private func all() throws(SecretError) -> [String: String] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [:] }
            throw SecretError(.unreadable, "\(path) cannot be read (\(Self.reason())); check who owns it")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SecretError(.unreadable, "\(path) is no plain file; remove it and set the secrets anew")
        }
        guard status.st_uid == geteuid() else {
            throw SecretError(.openToOthers, "\(path) belongs to another user; remove it and set the secrets anew")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw SecretError(.openToOthers, "\(path) may be read by others; chmod 600 it, and replace what is in it if they did")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw SecretError(.unreadable, "\(path) cannot be read (\(Self.reason()))")
            }
            bytes += buffer[..<count]
            guard bytes.count <= Self.maximumBytes else { throw SecretError(.damaged, "\(path) is too long to be a file of secrets; remove it") }
        }
        guard let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: String] else {
            throw SecretError(.damaged, "\(path) is damaged; remove it and set the secrets anew")
        }
        return object
    }

    private func write(_ secrets: [String: String]) throws(SecretError) {
        let bytes: [UInt8]
        do {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            bytes = [UInt8](try JSONSerialization.data(withJSONObject: secrets, options: [.prettyPrinted, .sortedKeys]))
        } catch {
            throw SecretError(.notWritten, "\(path) cannot be written; check who owns its folder", cause: error)
        }
        let temporary = path + ".\(getpid()).new"
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SecretError(.notWritten, "\(temporary) cannot be written (\(Self.reason())); check who owns its folder") }
        var rest = bytes[...]
        var failure: String?
        while rest.isEmpty == false {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                failure = Self.reason()
                break
            }
            rest = rest.dropFirst(count)
        }
        if failure == nil, fsync(descriptor) != 0 { failure = Self.reason() }
        close(descriptor)
        if failure == nil, unsafe rename(temporary, path) != 0 { failure = Self.reason() }
        if let failure {
            unsafe unlink(temporary)
            throw SecretError(.notWritten, "\(path) cannot be written (\(failure)); free some space, or check who owns its folder")
        }
    }

    private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}
