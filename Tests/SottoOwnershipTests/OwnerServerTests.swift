import Foundation
import Glibc
import SottoObservability
import SottoStreams
import SottoSubprocess
import Synchronization
import Testing

@testable import SottoOwnership

/// Collects what a guest is shown.
final class Shown: Sendable {
    private let state = Mutex<[OwnerEvent]>([])
    func add(_ event: OwnerEvent) { state.withLock { $0.append(event) } }
    var events: [OwnerEvent] { state.withLock { $0 } }
    var output: [UInt8] {
        events.flatMap { event in
            if case .output(let bytes) = event { return bytes }
            return []
        }
    }
}

/// Set once, awaited by anybody.
final class Signal: Sendable {
    private let flag = CancellationFlag()
    func set() { flag.cancel() }
    var isSet: Bool { flag.isCancelled }
    func wait() async {
        await withCheckedContinuation { continuation in flag.onCancel { continuation.resume() } }
    }
}

private func isThere(_ program: String) -> Bool { (try? Subprocess.locate(program, package: nil)) != nil }

@Suite(.timeLimit(.minutes(10))) struct OwnerServerTests {
    private let command = GuestCommand(arguments: ["say", "hello"], folder: "/", zone: "UTC")

    /// Serves while `test` runs.
    private func serving(
        _ body: @escaping OwnerServer.Body, runtime: String = "/run", test: @Sendable (RuntimeFolder) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        if runtime != "/run" {
            try FileManager.default.createDirectory(atPath: scratch.path + runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let folder = try scratch.folder(runtime)
        let lock = try #require(try OwnerLock.acquire(folder, version: "1"))
        let server = try OwnerServer(lock: lock, version: "1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.run(body) }
            try await test(folder)
            group.cancelAll()
        }
        #expect(FileManager.default.fileExists(atPath: folder.socket) == false)
    }

    private static func guest(_ folder: RuntimeFolder, patience: OwnerClient.Patience = .init()) async throws -> OwnerClient {
        try #require(try await OwnerClient.connect(folder, version: "1", patience: patience))
    }

    private func expectStatus(_ expected: Int32, _ folder: RuntimeFolder) async throws {
        let status = try await Self.guest(folder).run(command, input: { nil }, show: { _ in })
        #expect(status == expected)
    }

    /// A socket that speaks no protocol of ours.
    private static func raw(_ folder: RuntimeFolder) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = try unsafe SocketAddress.withAddress(folder, name: "socket") { unsafe connect(descriptor, $0, $1) }
        #expect(result == 0)
        return descriptor
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        #expect(unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count)
    }

    /// Reads until the other side hangs up.
    private static func drain(_ descriptor: Int32) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var all: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = unsafe read(descriptor, &chunk, chunk.count)
                    guard count > 0 else { break }
                    all += chunk[..<count]
                }
                close(descriptor)
                continuation.resume(returning: all)
            }
        }
    }

    @Test("the command, its surroundings, what it writes and its status go through")
    func through() async throws {
        try await serving { command, guest in
            guest.show(.note("in \(command.folder), \(command.zone)"))
            guest.show(.output(Array(command.arguments.joined(separator: " ").utf8)))
            guest.show(.progress(.init(phase: "Reading", item: "x", completed: 1, total: 3)))
            guest.show(.problem("bad"))
            return 42
        } test: { folder in
            let shown = Shown()
            let client = try await Self.guest(folder)
            #expect(client.process == getpid())
            let status = try await client.run(GuestCommand(arguments: ["a", "b"], folder: "/tmp", zone: "Asia/Tokyo"), input: { nil }, show: { shown.add($0) })
            #expect(status == 42)
            #expect(shown.events == [
                .note("in /tmp, Asia/Tokyo"), .output(Array("a b".utf8)), .progress(.init(phase: "Reading", item: "x", completed: 1, total: 3)), .problem("bad"),
            ])
        }
    }

    @Test("a long input goes in and a long output comes out, whole", arguments: [0, 1, 3_000_000])
    func streams(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        try await serving { _, guest in
            var all: [UInt8] = []
            while let chunk = try? await guest.nextInput() { all += chunk }
            guest.show(.output(all))
            return 0
        } test: { folder in
            let shown = Shown()
            let rest = Mutex(bytes[...])
            let status = try await Self.guest(folder).run(command, input: {
                rest.withLock { rest in
                    guard rest.isEmpty == false else { return nil }
                    let chunk = Array(rest.prefix(700_000))
                    rest = rest.dropFirst(700_000)
                    return chunk
                }
            }, show: { shown.add($0) })
            #expect(status == 0)
            #expect(shown.output == bytes)
        }
    }

    @Test("standard input is not touched when the command does not read it")
    func unread() async throws {
        let read = Signal()
        try await serving { _, _ in 0 } test: { folder in
            _ = try await Self.guest(folder).run(command, input: { read.set(); return nil }, show: { _ in })
            #expect(read.isSet == false)
        }
    }

    @Test("guests are served side by side")
    func together() async throws {
        let first = Signal()
        try await serving { command, guest in
            if command.arguments == ["first"] {
                await first.wait()
            } else {
                first.set()
            }
            return 0
        } test: { folder in
            // The first can only end once the second has run.
            async let one = Self.guest(folder).run(GuestCommand(arguments: ["first"], folder: "/", zone: "UTC"), input: { nil }, show: { _ in })
            async let two = Self.guest(folder).run(GuestCommand(arguments: ["second"], folder: "/", zone: "UTC"), input: { nil }, show: { _ in })
            let statuses = try await [one, two]
            #expect(statuses == [0, 0])
        }
    }

    @Test("a guest that cancels hears how its command ended")
    func cancel() async throws {
        let began = Signal()
        try await serving { _, guest in
            began.set()
            do { try await Task.sleep(for: .seconds(60)) } catch { return 130 }
            return 0
        } test: { folder in
            let client = try await Self.guest(folder)
            let work = Task { try await client.run(command, input: { nil }, show: { _ in }) }
            await began.wait()
            let start = ContinuousClock.now
            work.cancel()
            #expect(try await work.value == 130)
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    @Test("a guest that vanishes cancels its command")
    func vanish() async throws {
        let (began, cancelled) = (Signal(), Signal())
        try await serving { _, _ in
            began.set()
            do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.set() }
            return 0
        } test: { folder in
            let descriptor = try Self.raw(folder)
            Self.write(try Frame.hello(Greeting(version: "1", process: 1)).encoded() + Frame.command(command).encoded(), to: descriptor)
            await began.wait()
            close(descriptor)
            await cancelled.wait()
        }
    }

    @Test("input that nobody asked for ends that guest and its command; it does not hide the guest's end", arguments: [1, 40])
    func unasked(count: Int) async throws {
        let cancelled = Signal()
        try await serving { _, _ in
            do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.set() }
            return 0
        } test: { folder in
            let descriptor = try Self.raw(folder)
            let greeting = try Frame.hello(Greeting(version: "1", process: 1)).encoded() + Frame.command(command).encoded()
            Self.write(greeting, to: descriptor)
            for _ in 0..<count {
                // The other side may have hung up by now.
                let bytes = try Frame.input([UInt8](repeating: 1, count: 1000)).encoded()
                _ = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            await cancelled.wait()
            close(descriptor)
        }
    }

    @Test("a status that comes while input is still on its way is not lost", arguments: 0..<20)
    func earlyStatus(round: Int) async throws {
        try await serving { _, guest in
            _ = try? await guest.nextInput()
            return 77
        } test: { folder in
            let status = try await Self.guest(folder).run(command, input: { [UInt8](repeating: 1, count: 200_000) }, show: { _ in })
            #expect(status == 77)
        }
    }

    @Test("the guest that is one too many is told so, and the next one after an end is served")
    func full() async throws {
        let release = Signal()
        let hello = try Frame.hello(Greeting(version: "1", process: 1)).encoded() + Frame.command(command).encoded()
        try await serving { command, _ in
            if command.arguments == ["say", "hello"] { await release.wait() }
            return 0
        } test: { folder in
            var guests: [Int32] = []
            for _ in 0..<64 {
                let descriptor = try Self.raw(folder)
                Self.write(hello, to: descriptor)
                // Its welcome has come, so it counts.
                let count = await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        var byte: UInt8 = 0
                        continuation.resume(returning: unsafe read(descriptor, &byte, 1))
                    }
                }
                #expect(count == 1)
                guests.append(descriptor)
            }
            let error = await #expect(throws: OwnershipError.self) { try await OwnerClient.connect(folder, version: "1") }
            #expect(error?.message.contains("64 commands") == true)
            release.set()
            for descriptor in guests { _ = await Self.drain(descriptor) }
            let other = GuestCommand(arguments: ["other"], folder: "/", zone: "UTC")
            let status = try await Self.guest(folder).run(other, input: { nil }, show: { _ in })
            #expect(status == 0)
        }
    }

    @Test("a command that will not end when cancelled does not hold the guest for ever")
    func stubborn() async throws {
        let (began, release) = (Signal(), Signal())
        try await serving { _, _ in
            began.set()
            await release.wait()
            return 0
        } test: { folder in
            let client = try await Self.guest(folder, patience: .init(cancellation: .milliseconds(200)))
            let work = Task { try await client.run(command, input: { nil }, show: { _ in }) }
            await began.wait()
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
            release.set()
        }
    }

    @Test("another version is refused, with the process to restart")
    func version() async throws {
        try await serving { _, _ in 0 } test: { folder in
            let error = await #expect(throws: OwnershipError.self) { try await OwnerClient.connect(folder, version: "2") }
            #expect(error?.code == .otherVersion)
            #expect(error?.message.contains("\(getpid())") == true)
        }
    }

    @Test("another user is turned away, by the kernel's word", .enabled(if: geteuid() == 0 && isThere("setpriv") && isThere("python3"), "needs root"))
    func otherUser() async throws {
        try await serving { _, _ in 0 } test: { folder in
            // The folder alone would keep others out; it is opened to see that the second check holds.
            for path in [folder.path, folder.path + "/..", folder.path + "/../..", folder.path + "/../../.."] { _ = unsafe chmod(path, 0o711) }
            _ = unsafe chmod(folder.socket, 0o666)
            let script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.stdout.buffer.write(s.recv(4096))"
            let output = try await Subprocess.run(
                .init("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", script, folder.socket])
            ).checked()
            var decoder = FrameDecoder()
            decoder.append(output)
            guard case .refused(let reason) = try decoder.next() else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("belongs to user 0"))
        }
    }

    @Test("garbage, a greeting cut short and an announced giant end that guest alone", arguments: [
        Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 0, 0, 60, 1, 0x7B], [255, 255, 255, 255, 1],
    ])
    func garbage(bytes: [UInt8]) async throws {
        try await serving { _, _ in 0 } test: { folder in
            let descriptor = try Self.raw(folder)
            Self.write(bytes, to: descriptor)
            shutdown(descriptor, Int32(SHUT_WR))
            #expect(await Self.drain(descriptor) == [])
            try await expectStatus(0, folder)
        }
    }

    @Test("a guest that does not read is cut off, and the owner's memory stays bounded")
    func deaf() async throws {
        let cancelled = Signal()
        try await serving { _, guest in
            let piece = [UInt8](repeating: 65, count: 1 << 20)
            while Task.isCancelled == false {
                guest.show(.output(piece))
                await Task.yield()
            }
            cancelled.set()
            return 0
        } test: { folder in
            let descriptor = try Self.raw(folder)
            Self.write(try Frame.hello(Greeting(version: "1", process: 1)).encoded() + Frame.command(command).encoded(), to: descriptor)
            await cancelled.wait()
            close(descriptor)
        }
    }

    @Test("a path too long for an address is reached all the same")
    func longPath() async throws {
        let runtime = "/" + String(repeating: "r", count: 120)
        try await serving({ _, _ in 7 }, runtime: runtime) { folder in
            #expect(folder.socket.utf8.count > 108)
            try await expectStatus(7, folder)
        }
    }

    @Test("nobody serves: no socket, a plain file, and a socket that a dead owner left")
    func nobody() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        #expect(try await OwnerClient.connect(folder, version: "1") == nil)
        #expect(FileManager.default.createFile(atPath: folder.socket, contents: Data()))
        #expect(try await OwnerClient.connect(folder, version: "1") == nil)
        unsafe unlink(folder.socket)
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(try unsafe SocketAddress.withAddress(folder, name: "socket") { unsafe bind(dead, $0, $1) } == 0)
        close(dead)
        #expect(try await OwnerClient.connect(folder, version: "1") == nil)
        // And the next owner takes its place.
        let lock = try #require(try OwnerLock.acquire(folder, version: "1"))
        let server = try OwnerServer(lock: lock, version: "1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.run { _, _ in 5 } }
            try await expectStatus(5, folder)
            group.cancelAll()
        }
    }

    /// Stands where an owner's socket would be.
    private static func listen(at folder: RuntimeFolder) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(try unsafe SocketAddress.withAddress(folder, name: "socket") { unsafe bind(listener, $0, $1) } == 0)
        #expect(Glibc.listen(listener, 4) == 0)
        return listener
    }

    /// Takes a guest in as an owner does; blocks until one has come.
    private static func welcome(at listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = unsafe read(descriptor, &bytes, bytes.count)
        if let welcome = try? Frame.welcome(Greeting(version: "1", process: 1)).encoded() { write(welcome, to: descriptor) }
        return descriptor
    }

    @Test("an owner that does not answer is named, with what to do")
    func silent() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        let listener = try Self.listen(at: folder)
        defer { close(listener) }
        let error = await #expect(throws: OwnershipError.self) {
            try await OwnerClient.connect(folder, version: "1", patience: .init(greeting: .milliseconds(300)))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("kill -CONT \(getpid())") == true)
    }

    @Test("an owner that falls silent during a command is told of, then given up")
    func silentLater() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        let listener = try Self.listen(at: folder)
        defer { close(listener) }
        Thread.detachNewThread {
            let descriptor = Self.welcome(at: listener)
            var bytes = [UInt8](repeating: 0, count: 4096)
            // Says nothing more, until the guest has gone.
            while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
            close(descriptor)
        }
        let shown = Shown()
        let patience = OwnerClient.Patience(note: .milliseconds(200), command: .milliseconds(600))
        let client = try await Self.guest(folder, patience: patience)
        let error = await #expect(throws: OwnershipError.self) { try await client.run(command, input: { nil }, show: { shown.add($0) }) }
        #expect(error?.code == .unreachable)
        #expect(shown.events.count == 1)
    }

    @Test("an owner that dies during a command is named")
    func dies() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        let listener = try Self.listen(at: folder)
        defer { close(listener) }
        Thread.detachNewThread {
            let descriptor = Self.welcome(at: listener)
            var bytes = [UInt8](repeating: 0, count: 4096)
            _ = unsafe read(descriptor, &bytes, bytes.count)
            close(descriptor)
        }
        let client = try await Self.guest(folder)
        let error = await #expect(throws: OwnershipError.self) { try await client.run(command, input: { nil }, show: { _ in }) }
        #expect(error?.code == .ownerEnded)
    }

    @Test("an owner that stops cancels its guests' commands and waits for them")
    func stops() async throws {
        let (began, ended) = (Signal(), Signal())
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        let lock = try #require(try OwnerLock.acquire(folder, version: "1"))
        let server = try OwnerServer(lock: lock, version: "1")
        let run = Task {
            await server.run { _, _ in
                began.set()
                try? await Task.sleep(for: .seconds(60))
                ended.set()
                return 130
            }
        }
        let client = try await Self.guest(folder)
        let work = Task { try await client.run(command, input: { nil }, show: { _ in }) }
        await began.wait()
        run.cancel()
        await run.value
        #expect(ended.isSet)
        #expect(try await work.value == 130)
    }

    @Test("an owner that takes no more guests lets those that are here finish")
    func finishes() async throws {
        let (began, release) = (Signal(), Signal())
        let scratch = try Scratch()
        defer { scratch.remove() }
        let folder = try scratch.folder()
        let lock = try #require(try OwnerLock.acquire(folder, version: "1"))
        let server = try OwnerServer(lock: lock, version: "1")
        let run = Task {
            await server.run { _, _ in
                began.set()
                await release.wait()
                return Task.isCancelled ? 1 : 9
            }
        }
        let client = try await Self.guest(folder)
        let work = Task { try await client.run(command, input: { nil }, show: { _ in }) }
        await began.wait()
        server.stopAccepting()
        #expect(try await OwnerClient.connect(folder, version: "1") == nil)
        release.set()
        #expect(try await work.value == 9)
        await run.value
    }
}
