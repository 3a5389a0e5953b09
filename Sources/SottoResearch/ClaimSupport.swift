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
    }

    /// - Parameters:
    ///   - claim: One sentence.
    ///   - passage: The passage's text with its title and headings, which speak for it too.
    ///   - question: A claim must say something that the question does not, unless yes or no is all that was asked.
    ///   - surroundings: Everything that was read. A name that the asker used must occur somewhere in it, since a passage seldom
    ///     repeats what its whole document is about.
    public func check(claim: String, passage: String, question: String, surroundings: String = "") -> Finding {
        let known = Set(Terms.tokens(passage).flatMap(Self.forms))
        let around = surroundings.isEmpty ? known : Set(Terms.tokens(surroundings).flatMap(Self.forms))
        let asked = Set(Terms.tokens(question).flatMap(Self.forms))
        var missing: [String] = []
        var held = 0
        var counted = 0
        var isNews = Self.wantsYesOrNo(question)
        for (position, span) in Terms.spans(claim).enumerated() {
            let token = String(span).lowercased().replacingOccurrences(of: "’", with: "'")
            guard Terms.stopWords.contains(token) == false else { continue }
            let forms = Self.forms(token)
            let isHeld = forms.contains(where: known.contains) || Self.partsHeld(token, known: known)
            let isAsked = forms.contains(where: asked.contains)
            if Self.isHard(span, position: position), isHeld == false {
                let isTheme = isAsked && Self.isIdentifier(token) == false && Terms.isNumber(token) == false
                if isTheme == false || forms.contains(where: around.contains) == false { missing.append(String(span)) }
            }
            if isAsked == false, isHeld { isNews = true }
            guard isAsked == false || isHeld else { continue }
            counted += 1
            if isHeld { held += 1 }
        }
        let overlap = counted == 0 ? 0 : Double(held) / Double(counted)
        return Finding(isSupported: missing.isEmpty && isNews && counted > 0 && overlap >= minimumOverlap, overlap: overlap, missing: missing)
    }

    private static func wantsYesOrNo(_ question: String) -> Bool {
        guard let first = Terms.tokens(question).first else { return false }
        return ["is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "must", "should", "will", "has", "have", "had"].contains(first)
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

    /// A token, its stem, and a small number as word and figure.
    private static func forms(_ token: String) -> [String] {
        var forms = [token]
        let stem = Terms.stem(token)
        if stem != token { forms.append(stem) }
        if let figure = figures[token] { forms.append(figure) }
        if token.hasSuffix("'s") { forms.append(String(token.dropLast(2))) }
        let joined = token.filter { $0.isLetter || $0.isNumber }
        if joined != token, joined.isEmpty == false { forms.append(joined) }
        if Terms.isNumber(token) { forms.append(token.filter(\.isNumber)) }
        return forms
    }

    /// A compound is held when every part of it is: "client-side" by "client … side", "and/or".
    private static func partsHeld(_ token: String, known: Set<String>) -> Bool {
        let parts = token.split(whereSeparator: { "-/".contains($0) }).map(String.init)
        guard parts.count > 1, token.hasPrefix("/") == false, token.hasPrefix("-") == false else { return false }
        return parts.allSatisfy { part in forms(part).contains(where: known.contains) }
    }

    private static let figures: [String: String] = [
        "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
        "ten": "10", "eleven": "11", "twelve": "12", "once": "1", "twice": "2", "first": "1st", "second": "2nd", "third": "3rd",
        "single": "1",
    ]
}
