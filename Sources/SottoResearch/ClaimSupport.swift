import Foundation
import SottoText

/// Tells by rule whether a passage states a claim.
///
/// The rule is deliberately blind to meaning: whatever in the claim could be invented (numbers, names, identifiers,
/// dates) must stand in the passage, and most of its other words too. A claim that passes can still misread its
/// passage, but it cannot name something that is not there.
public struct ClaimSupport: Sendable {
    /// The share of the claim's content words that the passage must hold.
    public var minimumOverlap = 0.6

    public init() {}

    public struct Finding: Sendable, Equatable {
        public var isSupported: Bool
        /// Content words of the claim that the passage holds, from 0 to 1.
        public var overlap: Double
        /// What the claim names and the passage does not.
        public var missing: [String]
        /// Names of the asker's that the passage lacks and something else that was read holds, in lower case.
        public var elsewhere: [String]
    }

    /// - Parameters:
    ///   - claim: One sentence.
    ///   - passage: The passage's text with its title and headings, which speak for it too.
    ///   - question: Its own words do not count as news, and need not stand in the passage.
    ///   - surroundings: Everything that was read. A name that the asker used must occur somewhere in it, since a passage seldom
    ///     repeats what its whole document is about.
    public func check(claim: String, passage: String, question: String, surroundings: String = "") -> Finding {
        let known = WordForms(passage)
        return check(claim: claim, passage: known, question: WordForms(question), surroundings: surroundings.isEmpty ? known : WordForms(surroundings))
    }

    /// The same for texts whose words were taken before: a passage is asked about by every claim.
    func check(claim: String, passage known: WordForms, question asked: WordForms, surroundings around: WordForms) -> Finding {
        var missing: [String] = []
        var elsewhere: [String] = []
        var held = 0
        var counted = 0
        for (position, span) in Terms.spans(claim).enumerated() {
            let token = String(span).lowercased().replacingOccurrences(of: "’", with: "'")
            guard Terms.stopWords.contains(token) == false else { continue }
            let isHeld = known.holds(token)
            let isAsked = asked.holds(token)
            if Self.isHard(span, position: position), isHeld == false {
                let isTheme = isAsked && Self.isIdentifier(token) == false && Terms.isNumber(token) == false
                if isTheme, around.holds(token) { elsewhere.append(token) } else { missing.append(String(span)) }
            }
            guard isAsked == false || isHeld else { continue }
            counted += 1
            if isHeld { held += 1 }
        }
        let overlap = counted == 0 ? 0 : Double(held) / Double(counted)
        return Finding(isSupported: missing.isEmpty && counted > 0 && overlap >= minimumOverlap, overlap: overlap, missing: missing,
            elsewhere: elsewhere)
    }

    /// Numbers, identifiers and capitalised names: what a model could make up.
    private static func isHard(_ span: Substring, position: Int) -> Bool {
        let token = String(span)
        if Terms.isNumber(token) || isIdentifier(token.lowercased()) || token.dropFirst().dropLast().contains("-") { return true }
        guard let first = token.first else { return false }
        let upper = token.count(where: \.isUppercase)
        return (first.isUppercase && position > 0) || upper > 1
    }

    private static func isIdentifier(_ token: String) -> Bool {
        let inner = token.dropFirst().dropLast()
        if token.hasPrefix("/") || token.hasPrefix("-") { return true }
        if token.contains(where: \.isNumber), token.contains(where: \.isLetter) { return true }
        return inner.contains(where: { "/_@~+".contains($0) }) || (inner.contains(".") && token.contains(where: \.isLetter))
    }
}
