internal import Foundation

/// One rewriting step: a pattern and what becomes of each match.
struct TextRule: Sendable {
    private let expression: NSRegularExpression
    /// Without a digit in the text the pattern cannot match, and is not tried.
    private let needsDigit: Bool
    private let replacement: @Sendable ([String]) -> String?

    /// - Parameters:
    ///   - pattern: ICU syntax, fixed at compile time.
    ///   - needsDigit: Says that every match holds a digit, which saves the search in most sentences.
    ///   - replacement: Receives the whole match and its groups (empty where a group took no part); `nil` keeps the text.
    init(_ pattern: String, ignoringCase: Bool = false, needsDigit: Bool = false, _ replacement: @escaping @Sendable ([String]) -> String?) {
        guard let expression = try? NSRegularExpression(pattern: pattern, options: ignoringCase ? [.caseInsensitive] : []) else {
            preconditionFailure("the pattern \(pattern) is not valid")
        }
        self.expression = expression
        self.needsDigit = needsDigit
        self.replacement = replacement
    }

    /// Replaces every match by a fixed text, in which `$1` stands for the first group.
    init(_ pattern: String, ignoringCase: Bool = false, needsDigit: Bool = false, to text: String) {
        self.init(pattern, ignoringCase: ignoringCase, needsDigit: needsDigit) { groups in
            var result = text
            for index in groups.indices.dropFirst() { result = result.replacing("$\(index)", with: groups[index]) }
            return result
        }
    }

    func apply(to text: String) -> String {
        if needsDigit, text.utf8.contains(where: { (48...57).contains($0) }) == false { return text }
        let source = text as NSString
        let matches = expression.matches(in: text, range: NSRange(location: 0, length: source.length))
        guard matches.isEmpty == false else { return text }
        var result = ""
        var position = 0
        for match in matches {
            let groups = (0..<match.numberOfRanges).map { index in
                let range = match.range(at: index)
                return range.location == NSNotFound ? "" : source.substring(with: range)
            }
            guard let new = replacement(groups) else { continue }
            result += source.substring(with: NSRange(location: position, length: match.range.location - position))
            result += new
            position = match.range.location + match.range.length
        }
        return result + source.substring(from: position)
    }
}

extension String {
    func applying(_ rules: [TextRule]) -> String { rules.reduce(self) { $1.apply(to: $0) } }
}
