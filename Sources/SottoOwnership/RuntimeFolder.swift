internal import Glibc

/// The folder of the owner's lock and socket: one for each data folder and user, mode 0700, gone after a restart of the machine.
///
/// It is `sotto/<hash of the data folder>` in `$XDG_RUNTIME_DIR`, or in `/run/user/<uid>` when the variable is not set (as for cron) and that
/// folder is ours, or else `/tmp/sotto-<uid>/<hash>`.
public struct RuntimeFolder: Sendable, Equatable {
    public let path: String

    /// Held by the owner; holds its process number.
    public var lock: String { path + "/lock" }
    /// Where a serving owner listens.
    public var socket: String { path + "/socket" }

    /// Makes the folder, or checks the one that is there.
    ///
    /// - Parameters:
    ///   - dataFolder: What is owned; it must exist, so that all its names lead to one hash.
    ///   - environment: Read for `XDG_RUNTIME_DIR`.
    /// - Throws: ``OwnershipError`` `.unsafeFolder` for a link, another user's folder or one that others may enter; `.failed`.
    public init(dataFolder: String, environment: [String: String]) throws(OwnershipError) {
        let user = geteuid()
        let data: String
        if let real = unsafe realpath(dataFolder, nil) {
            data = unsafe String(cString: real)
            unsafe free(real)
        } else {
            throw OwnershipError(.failed, "\(dataFolder) cannot be used: \(systemMessage(errno)); check XDG_DATA_HOME")
        }
        let parent: String
        switch Self.base(environment: environment, user: user, isOurs: Self.isOwned) {
        case .runtime(let folder): parent = folder + "/sotto"
        case .temporary(let folder): parent = folder
        }
        try Self.make(parent, user: user)
        path = parent + "/" + Self.hash(data)
        try Self.make(path, user: user)
    }

    enum Base: Equatable {
        /// The system's folder for this user's run-time files.
        case runtime(String)
        /// A folder of our own in `/tmp`.
        case temporary(String)
    }

    /// Chooses the place.
    ///
    /// - Parameter isOurs: Whether a path is a folder that belongs to a user.
    static func base(environment: [String: String], user: UInt32, isOurs: (String, UInt32) -> Bool) -> Base {
        // The specification ignores relative paths. A folder of somebody else, as after `su`, is of no use.
        if var set = environment["XDG_RUNTIME_DIR"], set.hasPrefix("/") {
            while set.count > 1, set.hasSuffix("/") { set.removeLast() }
            if isOurs(set, user) { return .runtime(set) }
        }
        let usual = "/run/user/\(user)"
        if environment["XDG_RUNTIME_DIR"] == nil, isOurs(usual, user) { return .runtime(usual) }
        return .temporary("/tmp/sotto-\(user)")
    }

    /// FNV-1a of 64 bits (Fowler, Noll, Vo): names need not be hard to forge here, for the folder is ours alone.
    static func hash(_ text: String) -> String {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isOwned(_ path: String, by user: UInt32) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
    }

    private static func make(_ path: String, user: UInt32) throws(OwnershipError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw OwnershipError(.failed, "cannot make the folder \(path): \(systemMessage(errno)); check XDG_RUNTIME_DIR")
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw OwnershipError(.failed, "cannot look at \(path): \(systemMessage(errno))") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw OwnershipError(.unsafeFolder, "\(path) is not a folder but a link or file, which somebody else may have put there; remove it")
        }
        guard status.st_uid == user else {
            throw OwnershipError(.unsafeFolder, "\(path) belongs to user \(status.st_uid); remove it, or set XDG_RUNTIME_DIR to a folder of yours")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw OwnershipError(.unsafeFolder, "\(path) is open to other users; run: chmod 700 \(path)")
        }
    }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
