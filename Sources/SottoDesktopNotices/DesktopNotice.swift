/// That a task ended, as the desktop shows it. Of the task it has the title and nothing else: notices are seen on locked screens and kept by
/// desktops.
public struct DesktopNotice: Sendable, Equatable {
    public enum Ending: String, Sendable, CaseIterable { case done, short, failed, cancelled }

    /// What the notice is about; a later one of the same tag takes its place.
    public var tag: String
    /// The task's own.
    public var title: String
    public var ending: Ending

    public init(tag: String, title: String, ending: Ending) {
        self.tag = tag
        self.title = title
        self.ending = ending
    }

    /// The first line.
    var heading: String {
        switch ending {
        case .done: "Task done"
        case .short: "Task done, with gaps"
        case .failed: "Task failed"
        case .cancelled: "Task cancelled"
        }
    }

    /// The title in one line of at most 200 characters, as markup (Desktop Notifications Specification 1.2, "Markup"): nothing in it is taken for a
    /// tag.
    var markup: String {
        var text = ""
        var length = 0
        var isCut = false
        for word in title.split(whereSeparator: { $0.isWhitespace || $0.isNewline }) {
            guard length + word.count < 200 else {
                isCut = true
                if length == 0 { text = String(word.prefix(199)) }
                break
            }
            text += (text.isEmpty ? "" : " ") + word
            length += word.count + 1
        }
        let shown = String.UnicodeScalarView(text.unicodeScalars.filter { [.control, .format].contains($0.properties.generalCategory) == false })
        return String(shown).reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        } + (isCut ? "…" : "")
    }
}
