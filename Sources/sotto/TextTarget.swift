import Foundation
import SottoSubprocess

/// Where dictated text goes beside standard output, through a program of the desktop.
struct TextTarget: Sendable {
    enum Kind: Sendable { case typing, clipboard }

    private struct Way {
        var program: String
        var arguments: [String]
        /// Variables without which it cannot work.
        var needs: [String]
    }

    /// What such programs read of the session.
    private static let session = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "YDOTOOL_SOCKET", "HOME"]
    private static let ways: [Kind: [Way]] = [
        .typing: [
            Way(program: "wtype", arguments: ["-"], needs: ["WAYLAND_DISPLAY"]),
            Way(program: "xdotool", arguments: ["type", "--clearmodifiers", "--file", "-"], needs: ["DISPLAY"]),
            Way(program: "ydotool", arguments: ["type", "--file", "-"], needs: []),
        ],
        .clipboard: [
            Way(program: "wl-copy", arguments: [], needs: ["WAYLAND_DISPLAY"]),
            Way(program: "xclip", arguments: ["-selection", "clipboard"], needs: ["DISPLAY"]),
            Way(program: "xsel", arguments: ["--clipboard", "--input"], needs: ["DISPLAY"]),
        ],
    ]

    let kind: Kind
    private let found: [Way]
    private let environment: [String: String]

    /// Looks for programs that can work here.
    ///
    /// - Throws: ``CommandError`` that names what to install, before anything is recorded.
    init(_ kind: Kind, environment: [String: String]) throws {
        self.kind = kind
        self.environment = environment.filter { Self.session.contains($0.key) }
        let ways = Self.ways[kind] ?? []
        found = ways.filter { way in way.needs.allSatisfy { environment[$0]?.isEmpty == false } && (try? Subprocess.locate(way.program)) != nil }
        guard found.isEmpty == false else {
            let names = ways.map(\.program).joined(separator: ", ")
            let isDesktop = environment["WAYLAND_DISPLAY"] != nil || environment["DISPLAY"] != nil
            let purpose = kind == .typing ? "text cannot be typed" : "text cannot be copied"
            throw CommandError("\(purpose): none of \(names) works here" + (isDesktop ? "; install one of them" : ", for this is no desktop session"))
        }
    }

    /// - Throws: ``CommandError`` when every program failed; its last words are in the message.
    func put(_ text: String) async throws {
        var failures: [String] = []
        for way in found {
            // Copying programs stay to serve what they copied, so they get a session of their own, which outlives ours.
            let isServing = kind == .clipboard
            let program = isServing ? "setsid" : way.program
            var request = Subprocess.Request(
                program, isServing ? ["--fork", "--wait", way.program] + way.arguments : way.arguments, input: .bytes(Array(text.utf8)))
            request.environment = environment
            request.deadline = .seconds(20)
            do {
                _ = try await Subprocess.run(request).checked()
                return
            } catch let error as SubprocessError {
                failures.append("\(way.program): \(error.message)")
            }
        }
        throw CommandError("the text could not be \(kind == .typing ? "typed" : "copied"): \(failures.joined(separator: "; "))")
    }
}
