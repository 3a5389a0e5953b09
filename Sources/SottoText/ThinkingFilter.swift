/// Takes a model's thinking out of a stream of text: what stands between `<think>` and `</think>`, and tags like these.
///
/// A tag may be cut anywhere between two pieces. Thinking that is never closed goes on to the end; a closing tag alone is dropped.
struct ThinkingFilter: Sendable {
    private static let names = ["think", "thinking", "thought", "reasoning", "reflection"]
    private static let openings = names.map { "<\($0)>" }
    private static let closings = names.map { "</\($0)>" }
    private var held = ""
    private var isThinking = false

    /// - Returns: What is certainly not thinking.
    mutating func append(_ text: String) -> String {
        held += text
        var result = ""
        while let open = held.firstIndex(of: "<") {
            if isThinking == false { result += held[..<open] }
            held.removeSubrange(..<open)
            let start = held.prefix(16).lowercased()
            if let tag = (Self.openings + Self.closings).first(where: { start.hasPrefix($0) }) {
                isThinking = Self.openings.contains(tag) || (isThinking && Self.closings.contains(tag) == false)
                held.removeFirst(tag.count)
            } else if (Self.openings + Self.closings).contains(where: { $0.hasPrefix(start) }) {
                return result
            } else {
                if isThinking == false { result += "<" }
                held.removeFirst()
            }
        }
        if isThinking == false { result += held }
        held = ""
        return result
    }

    mutating func finish() -> String {
        defer { held = "" }
        return isThinking ? "" : held
    }
}
