import Glibc
import SottoSubprocess

/// Shows notices on the user's desktop (org.freedesktop.Notifications), one for each tag, through `notify-send` or `gdbus`.
///
/// ```swift
/// let notifier = DesktopNotifier(environment: environment)
/// let delivery = await notifier.show(DesktopNotice(tag: "job-12", title: job.title, ending: .done))
/// ```
/// Where there is no desktop nothing happens, and the reason is given. Notices are shown one after another; none takes longer than the time limit.
public actor DesktopNotifier {
    public struct Configuration: Sendable {
        /// For one notice.
        public var timeLimit: Duration
        /// Tags whose notices can still be replaced; the oldest are forgotten.
        public var rememberedTags: Int
        /// In the order in which they are tried.
        var programs = ["notify-send", "gdbus"]

        public init(timeLimit: Duration = .seconds(5), rememberedTags: Int = 256) {
            self.timeLimit = timeLimit
            self.rememberedTags = rememberedTags
        }

        init(timeLimit: Duration, rememberedTags: Int, programs: [String]) {
            self.init(timeLimit: timeLimit, rememberedTags: rememberedTags)
            self.programs = programs
        }
    }

    /// What became of a notice.
    public enum Delivery: Sendable, Equatable {
        /// The number that the desktop gave it.
        case shown(UInt32)
        /// It was not shown, and why, for a log.
        case skipped(String)
    }

    private let environment: [String: String]
    private let configuration: Configuration
    private var numbers: [String: UInt32] = [:]
    /// Tags, the oldest first.
    private var tags: [String] = []
    /// The notice before: two of one tag at once would both be new.
    private var last: Task<Delivery, Never>?

    /// - Parameter environment: The session's: `DBUS_SESSION_BUS_ADDRESS`, or `XDG_RUNTIME_DIR` with a `bus` in it.
    public init(environment: [String: String], configuration: Configuration = Configuration()) {
        self.environment = environment
        self.configuration = configuration
    }

    /// Shows a notice, in place of the one of the same tag.
    ///
    /// Never fails: what ends a task must not depend on a desktop. Cancelling does not take a notice back.
    public func show(_ notice: DesktopNotice) async -> Delivery {
        let before = last
        // Unstructured: whoever waits for this one may go, and the next one still comes after it.
        let task = Task {
            _ = await before?.value
            return await send(notice)
        }
        last = task
        return await task.value
    }

    private func send(_ notice: DesktopNotice) async -> Delivery {
        guard let bus = bus else { return .skipped("there is no desktop session") }
        let replaced = numbers[notice.tag] ?? 0
        let request: Subprocess.Request
        switch configuration.programs.first(where: { (try? Subprocess.locate($0)) != nil }) {
        case "notify-send": request = notifySend(notice, replacing: replaced, bus)
        case "gdbus": request = gdbus(notice, replacing: replaced, bus)
        default: return .skipped("neither notify-send nor gdbus is installed; install libnotify-bin")
        }
        do {
            let output = String(decoding: try await Subprocess.run(request).checked(), as: UTF8.self)
            // `12` from the one, `(uint32 12,)` from the other.
            guard let number = output.split(whereSeparator: { $0.isASCII == false || $0.isNumber == false }).last.flatMap({ UInt32($0) }), number > 0
            else { return .skipped("the desktop gave the notice no number") }
            remember(number, for: notice.tag)
            return .shown(number)
        } catch let error as SubprocessError where error.code == .deadlineExceeded {
            return .skipped("the desktop did not answer within \(configuration.timeLimit)")
        } catch {
            return .skipped("\(error)")
        }
    }

    private func remember(_ number: UInt32, for tag: String) {
        numbers[tag] = number
        tags.removeAll { $0 == tag }
        tags.append(tag)
        if tags.count > configuration.rememberedTags { numbers[tags.removeFirst()] = nil }
    }

    /// What a child needs to find the session's bus; `nil` when there is none.
    private var bus: [String: String]? {
        let folder = environment["XDG_RUNTIME_DIR"] ?? ""
        var found: [String: String] = [:]
        if folder.isEmpty == false { found["XDG_RUNTIME_DIR"] = folder }
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], address.isEmpty == false {
            found["DBUS_SESSION_BUS_ADDRESS"] = address
        } else {
            // Where systemd and dbus-user-session put it.
            guard folder.hasPrefix("/"), unsafe access(folder + "/bus", R_OK | W_OK) == 0 else { return nil }
            found["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder)/bus"
        }
        return found
    }

    private func notifySend(_ notice: DesktopNotice, replacing number: UInt32, _ bus: [String: String]) -> Subprocess.Request {
        var arguments = ["--print-id", "--app-name=Sotto", "--hint=string:desktop-entry:sotto"]
        if number > 0 { arguments.append("--replace-id=\(number)") }
        // It takes backslashes of the body for the beginning of escapes.
        arguments += ["--", notice.heading, notice.markup.replacing("\\", with: "\\\\")]
        return Subprocess.Request("notify-send", arguments, environment: bus, maximumOutput: 4_096, deadline: configuration.timeLimit)
    }

    private func gdbus(_ notice: DesktopNotice, replacing number: UInt32, _ bus: [String: String]) -> Subprocess.Request {
        // Texts of GVariant: unquoted ones would be guessed at.
        func quoted(_ text: String) -> String { "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'" }
        let arguments = [
            "call", "--session", "--dest", "org.freedesktop.Notifications", "--object-path", "/org/freedesktop/Notifications", "--method",
            "org.freedesktop.Notifications.Notify", "--",
            quoted("Sotto"), "uint32 \(number)", quoted(""), quoted(notice.heading), quoted(notice.markup), "@as []", "{'desktop-entry': <'sotto'>}",
            "int32 -1",
        ]
        return Subprocess.Request("gdbus", arguments, environment: bus, maximumOutput: 4_096, deadline: configuration.timeLimit)
    }
}
