public import SottoLanguageModels
import SottoText

/// The search queries that a model proposes.
public struct QueryPlan: Generable, Equatable {
    public var queries: [String]

    public init(queries: [String]) { self.queries = queries }

    public static var generationSchema: GenerationSchema {
        .object([.init("queries", .array(of: .string(maximumLength: 60), minimum: 1, maximum: 4))])
    }
}

/// Makes a proposed query fit to be searched for.
public struct QueryCleaner: Sendable {
    /// Longer queries match less, not more.
    public var maximumWords = 12

    public init() {}

    /// The queries worth running: the question first, then what the plan adds to it.
    ///
    /// Markdown, numbering, quotes and dash clauses go; a year stays only when the question has it (a model's habit of
    /// adding the year of its training would shut out everything newer); a query that repeats an earlier one goes.
    public func clean(_ proposed: [String], question: String, limit: Int) -> [String] {
        let questionNumbers = Set(Terms.tokens(question).filter(Terms.isNumber))
        var seen: Set<Set<String>> = []
        var queries: [String] = []
        for (index, candidate) in ([question] + proposed).enumerated() {
            let isQuestion = index == 0
            let query = isQuestion ? Self.singleLine(candidate) : cleanOne(candidate, questionNumbers: questionNumbers)
            let key = Set(Terms.content(query).map(Terms.stem))
            guard key.isEmpty == false || isQuestion, seen.insert(key).inserted else { continue }
            queries.append(query)
            if queries.count == limit + 1 { break }
        }
        return queries
    }

    private func cleanOne(_ proposed: String, questionNumbers: Set<String>) -> String {
        var text = Self.singleLine(proposed)
        for dash in [" — ", " – ", " -- ", ": "] {
            if let range = text.firstRange(of: dash), text.distance(from: text.startIndex, to: range.lowerBound) > 8 {
                text = String(text[..<range.lowerBound])
            }
        }
        text = text.filter { "*`#_\"“”".contains($0) == false || $0 == "_" }
        var words = text.split(separator: " ").map(String.init)
        while let first = words.first, first.wholeMatch(of: /[-•]|\d{1,2}[.)]/) != nil { words.removeFirst() }
        words.removeAll { word in
            word.wholeMatch(of: /(19|20)\d\d[.,;:]?/) != nil && questionNumbers.contains(word.filter(\.isNumber)) == false
        }
        return words.prefix(maximumWords).joined(separator: " ")
    }

    private static func singleLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
