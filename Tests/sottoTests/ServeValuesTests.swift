import Foundation
import SottoStreams
import SottoText
import Synchronization
import Testing

@testable import sotto

private func temporaryFolder() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-serve-values-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}

@Suite("Settings on the disk")
struct SettingsFileTests {
    @Test("a change by anybody is seen at once, and a stale writer is refused")
    func live() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/config.json"
        let (mine, theirs) = (SettingsFile(path: path), SettingsFile(path: path))
        #expect(mine.current == Settings())
        let before = mine.revision
        var changed = Settings()
        changed.speed = 1.5
        #expect(try theirs.write(changed))
        #expect(mine.current.speed == 1.5)
        #expect(mine.revision != before)
        changed.speed = 0.5
        #expect(try mine.write(changed, ifAt: before) == false)
        #expect(theirs.current.speed == 1.5)
        #expect(try mine.write(changed, ifAt: mine.revision))
        #expect(theirs.current.speed == 0.5)
        try FileManager.default.removeItem(atPath: path)
        #expect(mine.current == Settings())
    }

    @Test("a file that is damaged gives defaults and a warning, until it is mended")
    func damaged() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/config.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        let file = SettingsFile(path: path)
        #expect(file.current == Settings())
        #expect(file.warnings.count == 1)
        try file.write(Settings())
        #expect(file.warnings.isEmpty)
    }

    @Test("the app shows every setting once, with a range that the setting itself keeps to")
    func forms() throws {
        #expect(SettingForm.all.map(\.key).sorted() == Settings.keys.sorted())
        for form in SettingForm.all {
            var settings = Settings()
            #expect(settings.value(form.key) != nil)
            switch form.kind {
            case .switch: for word in ["on", "off"] { try settings.set(form.key, to: word) }
            case .number:
                let range = try #require(form.range, "\(form.key)")
                try settings.set(form.key, to: "\(range.lowerBound)")
                try settings.set(form.key, to: "\(range.upperBound)")
                #expect(throws: CommandError.self) { try settings.set(form.key, to: "\(range.upperBound + 1)") }
            case .text, .choice: break
            }
        }
    }
}

@Suite("Browsers that were let in")
struct DeviceBookTests {
    /// A clock that the test moves.
    private final class Clock: Sendable {
        private let moment = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        var now: Date { moment.withLock { $0 } }
        func advance(_ seconds: TimeInterval) { moment.withLock { $0 += seconds } }
    }

    @Test("a code lets one browser in, once; the browser stays over a restart, until it is signed out or its time is over")
    func life() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = Clock()
        let book = DeviceBook(path: folder + "/devices.json", now: { clock.now })
        #expect(try book.redeem("", name: "x") == nil)
        let code = book.makeCode()
        let cookie = try #require(try book.redeem(code, name: "Firefox on Linux"))
        #expect(try book.redeem(code, name: "again") == nil)
        #expect(book.isLiving(cookie))
        #expect(book.isLiving(cookie + "x") == false)
        #expect(book.isLiving("") == false)
        let rights = try FileManager.default.attributesOfItem(atPath: folder + "/devices.json")[.posixPermissions] as? Int
        #expect(rights == 0o600)

        let later = DeviceBook(path: folder + "/devices.json", now: { clock.now })
        #expect(later.all.map(\.name) == ["Firefox on Linux"])
        #expect(later.isLiving(cookie))
        clock.advance(91 * 86_400)
        #expect(later.isLiving(cookie) == false)
        #expect(DeviceBook(path: folder + "/devices.json", now: { clock.now }).all.isEmpty)

        let other = try #require(try later.redeem(later.makeCode(), name: "Phone"))
        let id = try #require(later.device(of: other)?.id)
        #expect(try later.remove(id))
        #expect(try later.remove(id) == false)
        #expect(later.isLiving(other) == false)
    }

    @Test("a damaged file signs everybody out and stops nobody")
    func damaged() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("[{".utf8).write(to: URL(fileURLWithPath: folder + "/devices.json"))
        let book = DeviceBook(path: folder + "/devices.json", now: { Date() })
        #expect(book.all.isEmpty)
        #expect(try book.redeem(book.makeCode(), name: "x") != nil)
    }

    @Test("more than sixty-four are not kept", .timeLimit(.minutes(1)))
    func bounded() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = Clock()
        let book = DeviceBook(path: folder + "/devices.json", now: { clock.now })
        let first = try #require(try book.redeem(book.makeCode(), name: "0"))
        for number in 1...64 {
            clock.advance(1)
            _ = try book.redeem(book.makeCode(), name: "\(number)")
        }
        #expect(book.all.count == 64)
        #expect(book.isLiving(first) == false, "the one that was seen least lately goes")
    }

    @Test(
        "browsers are called what people call them",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"),
            ("Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
            ("", "Browser"),
        ])
    func names(_ agent: String, _ name: String) { #expect(App.browserName(agent) == name) }
}

@Suite("Engines that are kept")
struct KeptEnginesTests {
    private final class Engine: Sendable {}

    @Test("the same engine answers as long as it is used, and leaves afterwards")
    func life() {
        let kept = KeptEngines<Engine>()
        var first: (engine: Engine, use: EngineUse)? = kept.engine("a") { Engine() }
        let second = kept.engine("a") { Engine() }
        #expect(first?.engine === second.engine)
        #expect(kept.release(idleFor: .zero) == false, "somebody uses it")
        first = nil
        #expect(kept.release(idleFor: .zero) == false, "one user is left")
        withExtendedLifetime(second.use) {}
    }

    @Test("what nobody uses leaves when its time is over, or when another takes its place")
    func leaving() {
        let kept = KeptEngines<Engine>()
        do { withExtendedLifetime(kept.engine("a") { Engine() }) {} }
        #expect(kept.release(idleFor: .seconds(3_600)) == false)
        #expect(kept.names == ["a"])
        do { withExtendedLifetime(kept.engine("b", replacing: true) { Engine() }) {} }
        #expect(kept.names == ["b"])
        #expect(kept.release(idleFor: .zero))
        #expect(kept.names.isEmpty)
    }
}

@Suite("Where in a text a piece of speech belongs")
struct SpeechPartsTests {
    private static let text = "Hello there. This is the first test, and it has parts. Dr. Smith paid for it."

    @Test("pieces are parts of a sentence, or several sentences")
    func places() {
        var parts = SpeechParts(Self.text, pronunciations: Pronunciations())
        #expect(parts.sentences == ["Hello there.", "This is the first test, and it has parts.", "Dr. Smith paid for it."])
        #expect(parts.place(of: "Hello there. This is the first test,") == 0)
        #expect(parts.place(of: "and it has parts.") == 1)
        #expect(parts.place(of: "Dr. Smith paid for it.") == 2)
        #expect(parts.place(of: "more than there is") == 2)
    }

    @Test("what begins later keeps its numbers", arguments: [(1, 2), (2, 1), (3, 0)])
    func later(first: Int, count: Int) {
        var parts = SpeechParts(Self.text, pronunciations: Pronunciations(), from: first)
        #expect(parts.sentences.count == 3)
        let said = parts.parts.compactMap { part -> String? in if case .sentence(let sentence) = part { sentence.written } else { nil } }
        #expect(said.count == count)
        if let sentence = said.first { #expect(parts.place(of: sentence) == first) }
    }
}

@Suite("Work that outlives its request")
struct AppWorkTests {
    @Test("one of a name at a time; it can be cancelled, and the end waits for all")
    func names() async throws {
        let work = AppWork()
        let (begun, ended) = (Channel<Void>(capacity: 1), CancellationFlag())
        let isBegun = work.begin("a") {
            _ = try? await begun.send(())
            while Task.isCancelled == false { await Task.yield() }
            return { ended.cancel() }
        }
        #expect(isBegun)
        _ = try await begun.next()
        #expect(work.begin("a") { {} } == false)
        #expect(work.isGoingOn("a"))
        #expect(work.cancel("b") == false)
        #expect(work.cancel("a"))
        await work.end()
        #expect(ended.isCancelled)
        #expect(work.begin("c") { {} } == false, "it has ended")
    }

    @Test("what is wanted once more is done after what goes on, and the name is free when the end is told")
    func repeats() async throws {
        let work = AppWork()
        let (begun, goOn, told) = (Channel<Void>(capacity: 1), CancellationFlag(), Channel<String>(capacity: 4))
        _ = work.begin("a") {
            _ = try? await begun.send(())
            while goOn.isCancelled == false { await Task.yield() }
            return { _ = try? await told.send("first") }
        }
        _ = try await begun.next()
        #expect(work.begin("a", orAfter: true) { { _ = try? await told.send("never: another came after it") } })
        #expect(work.begin("a", orAfter: true) { { _ = try? await told.send("second, name free: \(work.isGoingOn("a") == false)") } })
        goOn.cancel()
        var ends: Set<String> = []
        for _ in 0..<2 { ends.insert(try await told.next() ?? "") }
        #expect(ends == ["first", "second, name free: true"])
        await work.end()
    }
}
