import Foundation
import Glibc
import Testing

@testable import SottoOwnership

/// A folder of its own for one test.
struct Scratch {
    let path: String

    init() throws {
        path = "/tmp/sotto-ownership-\(UUID().uuidString)"
        for name in ["", "/run", "/data"] {
            try FileManager.default.createDirectory(atPath: path + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    func folder(_ runtime: String = "/run") throws -> RuntimeFolder {
        try RuntimeFolder(dataFolder: path + "/data", environment: ["XDG_RUNTIME_DIR": path + runtime])
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct RuntimeFolderTests {
    @Test("the hash is FNV-1a of 64 bits", arguments: [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")])
    func hash(text: String, expected: String) {
        #expect(RuntimeFolder.hash(text) == expected)
    }

    @Test("the variable decides, then the usual folder, then one of our own in /tmp")
    func base() {
        let owns: (String, UInt32) -> Bool = { path, user in user == 5 && ["/mine", "/run/user/5"].contains(path) }
        func base(_ set: String?, _ user: UInt32 = 5) -> RuntimeFolder.Base {
            RuntimeFolder.base(environment: set.map { ["XDG_RUNTIME_DIR": $0] } ?? [:], user: user, isOurs: owns)
        }
        #expect(base("/mine") == .runtime("/mine"))
        #expect(base("/mine/") == .runtime("/mine"))
        #expect(base("/theirs") == .temporary("/tmp/sotto-5"))
        #expect(base("relative") == .temporary("/tmp/sotto-5"))
        #expect(base(nil) == .runtime("/run/user/5"))
        #expect(base(nil, 6) == .temporary("/tmp/sotto-6"))
    }

    @Test("it is ours alone, and the same for every name of one data folder")
    func made() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        var status = stat()
        #expect(unsafe stat(folder.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: scratch.path + "/data")
        #expect(try RuntimeFolder(dataFolder: scratch.path + "/link", environment: ["XDG_RUNTIME_DIR": scratch.path + "/run"]) == folder)
        try FileManager.default.createDirectory(atPath: scratch.path + "/other", withIntermediateDirectories: false)
        #expect(try RuntimeFolder(dataFolder: scratch.path + "/other", environment: ["XDG_RUNTIME_DIR": scratch.path + "/run"]) != folder)
    }

    @Test("a folder that others may enter is refused, with the command that mends it")
    func open() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        for (path, mode) in [(folder.path, 0o755), (scratch.path + "/run/sotto", 0o770)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: OwnershipError.self) { try scratch.folder() }
            #expect(error?.code == .unsafeFolder)
            #expect(error?.message.contains("chmod 700 \(path)") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
        #expect(try scratch.folder() == folder)
    }

    @Test("a link in its place is not followed")
    func link() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try FileManager.default.createDirectory(atPath: scratch.path + "/trap", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/run/sotto", withDestinationPath: scratch.path + "/trap")
        #expect(throws: OwnershipError.self) { try scratch.folder() }
    }

    @Test("a folder of another user is refused", .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        #expect(unsafe chown(folder.path, 12345, 12345) == 0)
        let error = #expect(throws: OwnershipError.self) { try scratch.folder() }
        #expect(error?.code == .unsafeFolder)
    }
}

@Suite struct OwnerLockTests {
    @Test("one holder at a time, who is known by number")
    func exclusive() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        do {
            let lock = try #require(try OwnerLock.acquire(folder, version: "1.5"))
            #expect(try OwnerLock.acquire(folder, version: "1.5") == nil)
            #expect(OwnerLock.holder(folder) == .init(process: getpid(), version: "1.5"))
            withExtendedLifetime(lock) {}
        }
        #expect(OwnerLock.holder(folder) == nil)
        #expect(try OwnerLock.acquire(folder, version: "2") != nil)
    }

    @Test("what is not a number in the file names nobody", arguments: ["", "x\n1\n", "-4\n1\n", "12"])
    func unreadable(text: String) {
        #expect(OwnerLock.parse(text) == nil)
    }

    @Test("a link in the lock's place is not followed")
    func link() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        try FileManager.default.createSymbolicLink(atPath: folder.lock, withDestinationPath: scratch.path + "/victim")
        let error = #expect(throws: OwnershipError.self) { try OwnerLock.acquire(folder, version: "1") }
        #expect(error?.code == .unsafeFolder)
        #expect(FileManager.default.fileExists(atPath: scratch.path + "/victim") == false)
    }
}
