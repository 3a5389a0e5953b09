/// The parts of an answer in which a model talks to itself.
public enum ReasoningTags {
    private static let names = ["think", "thinking", "reasoning", "thought"]

    /// The answer without its reasoning, and without white space around it.
    ///
    /// A block that never ends takes everything after it; an end without a beginning takes everything before it, because
    /// some chat templates write the opening tag into the prompt.
    public static func stripped(from text: String) -> String {
        var rest = text[...]
        for name in names {
            let (open, close) = ("<\(name)>", "</\(name)>")
            if let end = range(of: close, in: rest), range(of: open, in: rest[..<end.lowerBound]) == nil {
                rest = rest[end.upperBound...]
            }
            var kept = ""
            while let start = range(of: open, in: rest) {
                kept += rest[..<start.lowerBound]
                guard let end = range(of: close, in: rest[start.upperBound...]) else {
                    rest = rest[rest.endIndex...]
                    break
                }
                rest = rest[end.upperBound...]
            }
            rest = (kept + rest)[...]
        }
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }

    private static func range(of tag: String, in text: Substring) -> Range<Substring.Index>? {
        text.firstRange(of: tag)
    }
}
