import Foundation
import SottoSubprocess
import Testing

@testable import SottoDesktopNotices

@Suite(.serialized, .timeLimit(.minutes(2))) struct DesktopNotifierTests {
    static let programs = ["notify-send", "gdbus"].filter { (try? Subprocess.locate($0)) != nil }

    private func notifier(_ environment: [String: String], _ program: String, limit: Duration = .seconds(60), remembered: Int = 256)
        -> DesktopNotifier
    {
        DesktopNotifier(environment: environment, configuration: .init(timeLimit: limit, rememberedTags: remembered, programs: [program]))
    }

    @Test(
        "one notice a task, and a later one takes its place", .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"),
        arguments: programs)
    func replaced(program: String) async throws {
        let desktop = try TestDesktop(service: "usual")
        defer { desktop.stop() }
        let notifier = notifier(desktop.environment, program)
        #expect(await notifier.show(DesktopNotice(tag: "job-1", title: "Why is the sky blue?", ending: .done)) == .shown(31))
        let first = try desktop.call()
        #expect(first["app"] as? String == "Sotto" && first["replaces"] as? Int == 0)
        #expect(first["summary"] as? String == "Task done" && first["body"] as? String == "Why is the sky blue?")
        #expect(first["entry"] as? String == "sotto" && (first["actions"] as? [String]) == [])
        // Another task: a notice of its own.
        #expect(await notifier.show(DesktopNotice(tag: "job-2", title: "Other", ending: .failed)) == .shown(32))
        #expect(try desktop.call()["replaces"] as? Int == 0)
        // The first one again, whose number is that of neither the newest nor nobody.
        #expect(await notifier.show(DesktopNotice(tag: "job-1", title: "Why is the sky blue?", ending: .short)) == .shown(31))
        let again = try desktop.call()
        #expect(again["replaces"] as? Int == 31 && again["summary"] as? String == "Task done, with gaps")
    }

    @Test(
        "two at once of one task are one notice in the end", .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"), arguments: programs
    )
    func together(program: String) async throws {
        let desktop = try TestDesktop(service: "usual")
        defer { desktop.stop() }
        let notifier = notifier(desktop.environment, program)
        let deliveries = await withTaskGroup(of: DesktopNotifier.Delivery.self) { group in
            for _ in 0..<4 { group.addTask { await notifier.show(DesktopNotice(tag: "job-1", title: "x", ending: .done)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(deliveries == Array(repeating: .shown(31), count: 4))
    }

    private static let titles = [
        "<b>bold</b> & \"quotes\" 'single' \\n \\\\ back", "--help", "-1", "größe 東京 🎈", "'; DROP TABLE", "two\nlines\tand \u{1B}[31mmore\u{202E}",
        "@as []", "uint32 5", "%s %n",
    ]

    @Test(
        "whatever a title has in it, it arrives as text", .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"), arguments: programs,
        titles)
    func hostile(program: String, title: String) async throws {
        let desktop = try TestDesktop(service: "usual")
        defer { desktop.stop() }
        #expect(await notifier(desktop.environment, program).show(DesktopNotice(tag: "t", title: title, ending: .done)) == .shown(31))
        let body = try desktop.call()["body"] as? String
        // What a desktop shows of markup: its entities undone, no tags.
        let shown = body?.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        let expected = title.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("\u{1B}", with: "").replacing(
            "\u{202E}", with: "")
        #expect(shown == expected)
        #expect(body?.contains("<") == false)
    }

    @Test("without a desktop nothing happens, and the reason is given", arguments: programs)
    func absent(program: String) async throws {
        let notice = DesktopNotice(tag: "t", title: "x", ending: .done)
        #expect(await notifier([:], program).show(notice) == .skipped("there is no desktop session"))
        #expect(
            await notifier(["XDG_RUNTIME_DIR": "/nowhere", "DBUS_SESSION_BUS_ADDRESS": ""], program).show(notice)
                == .skipped("there is no desktop session"))
        guard case .skipped(let reason) = await notifier(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"], program).show(notice) else {
            Issue.record("a bus that is not there can show nothing")
            return
        }
        #expect(reason.isEmpty == false)
        #expect(
            await notifier(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"], "no-such-program").show(notice)
                == .skipped("neither notify-send nor gdbus is installed; install libnotify-bin"))
    }

    @Test("a bus where nobody shows notices", .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"), arguments: programs)
    func nobody(program: String) async throws {
        let desktop = try TestDesktop(service: nil)
        defer { desktop.stop() }
        guard case .skipped(let reason) = await notifier(desktop.environment, program).show(DesktopNotice(tag: "t", title: "x", ending: .done)) else {
            Issue.record("nobody can have shown it")
            return
        }
        #expect(reason.contains("org.freedesktop.Notifications"), "\(reason)")
    }

    @Test(
        "a desktop that never answers is given up, and the next notice is tried",
        .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"), arguments: programs)
    func deaf(program: String) async throws {
        let desktop = try TestDesktop(service: "deaf")
        defer { desktop.stop() }
        let notifier = notifier(desktop.environment, program, limit: .seconds(2))
        for _ in 0..<2 {
            guard case .skipped(let reason) = await notifier.show(DesktopNotice(tag: "t", title: "x", ending: .done)) else {
                Issue.record("it cannot have been shown")
                continue
            }
            #expect(reason.contains("did not answer"), "\(reason)")
        }
    }

    @Test(
        "the bus of the runtime folder is found without its address", .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"),
        arguments: programs)
    func runtimeFolder(program: String) async throws {
        let desktop = try TestDesktop(service: "usual")
        defer { desktop.stop() }
        #expect(await notifier(desktop.runtimeEnvironment, program).show(DesktopNotice(tag: "t", title: "x", ending: .cancelled)) == .shown(31))
        #expect(try desktop.call()["summary"] as? String == "Task cancelled")
    }

    @Test(
        "the oldest tags are forgotten: their next notice is new", .enabled(if: TestDesktop.canRun, "needs dbus-daemon and python3-gi"),
        arguments: programs.prefix(1))
    func forgotten(program: String) async throws {
        let desktop = try TestDesktop(service: "usual")
        defer { desktop.stop() }
        let notifier = notifier(desktop.environment, program, remembered: 2)
        for (tag, number) in [("a", UInt32(31)), ("b", 32), ("a", 31), ("c", 33), ("a", 31), ("b", 34)] {
            #expect(await notifier.show(DesktopNotice(tag: tag, title: tag, ending: .done)) == .shown(number), "\(tag)")
        }
    }

    @Test("a long title is cut between words, a long word inside")
    func long() {
        let words = DesktopNotice(tag: "t", title: Array(repeating: "word", count: 100).joined(separator: " "), ending: .done).markup
        #expect(words.hasSuffix("word…") && words.count <= 201)
        let one = DesktopNotice(tag: "t", title: String(repeating: "x", count: 1_000), ending: .done).markup
        #expect(one == String(repeating: "x", count: 199) + "…")
    }
}
