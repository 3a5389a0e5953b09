internal import SottoDocument
internal import SottoPassageIndex

/// One search: full-text candidates by language, ranked again, copies resolved, near copies dropped.
struct PassageSearch {
    let query: PassageQuery
    let connection: SQLiteConnection
    /// How many candidates of a language are ranked again.
    private let pool = 80

    private struct Scored {
        var id: Int64
        var hash: Int64
        var document: Int64
        var ordinal: Int
        var candidate: PassageRanker.Candidate
        var score: Double
    }

    init(query: PassageQuery, connection: SQLiteConnection) {
        self.query = query
        self.connection = connection
    }

    func run() throws -> [PassageHit] {
        guard query.limit > 0 else { return [] }
        let wanted = query.language ?? LanguageDetector.language(of: query.text)
        let terms = SearchTerms(query.text, language: wanted).terms
        guard terms.isEmpty == false else { return [] }
        let tables = try connection.query("SELECT language, passages FROM word_tables WHERE passages > 0 ORDER BY language") { row in
            (language: row.text(0), passages: Int(row.integer(1)))
        }
        let own = wanted.map(PassageRows.tableLanguage)
        var hits: [PassageHit] = []
        if let own, let table = tables.first(where: { $0.language == own }) {
            hits = try resolve(rank(terms, language: own, total: table.passages))
        }
        guard hits.count < query.limit else { return hits }
        // Other languages fill up what the task's own leaves free, and stay below it.
        var others: [PassageHit] = []
        for table in tables where table.language != own {
            others += try resolve(rank(terms, language: table.language, total: table.passages))
        }
        others.sort { $0.score > $1.score }
        let floor = own == nil ? nil : hits.last?.score ?? others.first?.score
        let scale = floor.map { floor in floor * 0.5 / max(others.first?.score ?? 1, 1e-9) } ?? 1
        for var other in others.prefix(query.limit - hits.count) {
            other.score *= scale
            hits.append(other)
        }
        return hits
    }

    private func rank(_ terms: [SearchTerms.Term], language: String, total: Int) throws -> [Scored] {
        let table = "words_\(language)"
        // Words hold letters and digits only, so nothing in them can end the quotes.
        let phrases = terms.map { "\"" + $0.words.joined(separator: " ") + "\"" }
        var frequencies: [Int] = []
        for phrase in phrases {
            frequencies.append(try connection.first("SELECT count(*) FROM \(table) WHERE \(table) MATCH ?", [.text(phrase)]) { Int($0.integer(0)) } ?? 0)
        }
        let ranker = PassageRanker(terms: terms, frequencies: frequencies, total: total)
        let found = zip(phrases, frequencies).filter { $0.1 > 0 }.map(\.0)
        guard found.isEmpty == false else { return [] }
        var filter = ""
        var values: [SQLiteValue] = [.text(found.joined(separator: " OR "))]
        if query.roots.isEmpty == false {
            let one = "e.location = ? OR e.location >= ? AND e.location < ?"
            filter = """
                AND EXISTS (SELECT 1 FROM passages o JOIN passages q ON q.hash = o.hash JOIN documents e ON e.id = q.document
                    WHERE o.id = \(table).rowid AND (\(Array(repeating: one, count: query.roots.count).joined(separator: " OR "))))
                """
            for root in query.roots { values += PathRange(root).values }
        }
        values.append(SQLiteValue(max(pool, query.limit * 2)))
        var scored = try connection.query(
            """
            SELECT p.id, p.hash, d.title, p.headings, p.text, p.document, p.ordinal, d.location
            FROM (SELECT rowid AS id FROM \(table) WHERE \(table) MATCH ? \(filter) ORDER BY bm25(\(table), 3.0, 2.0, 1.0) LIMIT ?) w
            JOIN passages p ON p.id = w.id JOIN documents d ON d.id = p.document
            """, values
        ) { row in
            let candidate = PassageRanker.Candidate(id: row.integer(0), title: row.text(2), headings: row.text(3), text: row.text(4))
            return Scored(
                id: row.integer(0), hash: row.integer(1), document: row.integer(5), ordinal: Int(row.integer(6)), candidate: candidate,
                // A page in a folder of another language is a translation under way: the finished edition goes first.
                score: ranker.score(candidate) * (Self.isInForeignFolder(row.text(7), language) ? 0.8 : 1))
        }
        scored.sort { ($0.score, $1.id) > ($1.score, $0.id) }
        return withoutNearCopies(scored)
    }

    /// Two passages with nearly the same words tell the reader the same: the better one stays.
    private func withoutNearCopies(_ scored: [Scored]) -> [Scored] {
        var kept: [Scored] = []
        var sets: [Set<String>] = []
        for next in scored where next.score > 0 {
            let words = Set(SearchWords.words(next.candidate.text))
            let isCopy = zip(kept, sets).contains { other, set in
                guard other.document != next.document else { return false }
                return Double(set.intersection(words).count) >= 0.85 * Double(min(set.count, words.count))
            }
            if isCopy { continue }
            kept.append(next)
            sets.append(words)
            if kept.count >= query.limit { break }
        }
        return kept
    }

    /// Names the document to show for each passage: one under the roots asked for, in a folder named for the task's language if there is one.
    private func resolve(_ scored: [Scored]) throws -> [PassageHit] {
        let ranges = query.roots.map(PathRange.init)
        return try scored.compactMap { item in
            var copies = try connection.query(
                """
                SELECT d.location, d.title, d.language, p.text, p.headings, p.offset, p.ordinal FROM passages p JOIN documents d ON d.id = p.document
                WHERE p.hash = ? ORDER BY d.location LIMIT 200
                """, [SQLiteValue(item.hash)]
            ) { PassageRows.hit($0, score: item.score) }
            if ranges.isEmpty == false { copies = copies.filter { copy in ranges.contains { $0.contains(copy.location) } } }
            return copies.first { isInFolderOfItsLanguage($0) } ?? copies.first
        }
    }

    /// Whether a folder on the way is named like `hr-HR`, and none for `language`.
    static func isInForeignFolder(_ location: String, _ language: String) -> Bool {
        var isForeign = false
        for component in location.split(separator: "/").dropLast() {
            let parts = component.split(whereSeparator: { $0 == "-" || $0 == "_" })
            guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), parts[0].allSatisfy(\.isLowercase), parts[1].allSatisfy(\.isUppercase) else { continue }
            if parts[0] == language { return false }
            isForeign = true
        }
        return isForeign
    }

    private func isInFolderOfItsLanguage(_ hit: PassageHit) -> Bool {
        let language = PassageRows.tableLanguage(hit.language)
        return hit.location.split(separator: "/").dropLast().contains { component in
            component.count <= 10 && component.split(whereSeparator: { $0 == "-" || $0 == "_" }).first?.lowercased() == language
        }
    }
}
