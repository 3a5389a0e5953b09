internal import SottoDocument
internal import SottoPassageIndex

/// Reads and writes the rows of one document, and keeps the full-text tables in step. Inside a transaction only.
enum PassageRows {
    static let headingSeparator = "\u{1F}"

    static func insert(_ entry: IndexEntry, _ connection: SQLiteConnection) throws {
        try connection.execute(
            "INSERT INTO documents (location, size, modified, digest, title, language) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .text(entry.location), SQLiteValue(entry.fingerprint.size), SQLiteValue(entry.fingerprint.modified),
                .text(entry.fingerprint.digest), .text(entry.title), .text(entry.language),
            ])
        let document = connection.lastInsertedRow
        let language = tableLanguage(entry.language)
        for passage in entry.passages {
            let headings = passage.headings.joined(separator: headingSeparator)
            let hash = hash(language, entry.title, headings, passage.text)
            let isKnown = try connection.first("SELECT 1 FROM passages WHERE hash = ? AND isIndexed = 1", [SQLiteValue(hash)]) { _ in true } ?? false
            try connection.execute(
                "INSERT INTO passages (document, ordinal, offset, headings, text, hash, isIndexed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    SQLiteValue(document), SQLiteValue(passage.ordinal), SQLiteValue(passage.offset), .text(headings), .text(passage.text),
                    SQLiteValue(hash), isKnown ? 0 : 1,
                ])
            if isKnown == false {
                let words = Words(title: entry.title, headings: headings, text: passage.text)
                try index(connection.lastInsertedRow, words, language: language, connection)
            }
        }
    }

    static func remove(_ location: String, _ connection: SQLiteConnection) throws {
        let found = try connection.first("SELECT id, title, language FROM documents WHERE location = ?", [.text(location)]) { row in
            (id: row.integer(0), title: row.text(1), language: tableLanguage(row.text(2)))
        }
        guard let found else { return }
        let rows = try connection.query(
            "SELECT id, headings, text, hash FROM passages WHERE document = ? AND isIndexed = 1", [SQLiteValue(found.id)]
        ) { row in (id: row.integer(0), words: Words(title: found.title, headings: row.text(1), text: row.text(2)), hash: row.integer(3)) }
        for row in rows {
            try connection.execute(
                "INSERT INTO words_\(found.language) (words_\(found.language), rowid, title, headings, text) VALUES ('delete', ?, ?, ?, ?)",
                [SQLiteValue(row.id)] + row.words.values)
            try connection.execute("UPDATE word_tables SET passages = passages - 1 WHERE language = ?", [.text(found.language)])
        }
        try connection.execute("DELETE FROM passages WHERE document = ?", [SQLiteValue(found.id)])
        try connection.execute("DELETE FROM documents WHERE id = ?", [SQLiteValue(found.id)])
        for row in rows {
            // Another document may hold the same passage: it takes the place in the index.
            let heir = try connection.first("SELECT id FROM passages WHERE hash = ? LIMIT 1", [SQLiteValue(row.hash)]) { $0.integer(0) }
            guard let heir else { continue }
            try connection.execute("UPDATE passages SET isIndexed = 1 WHERE id = ?", [SQLiteValue(heir)])
            try index(heir, row.words, language: found.language, connection)
        }
    }

    static func hit(_ row: SQLiteRow, score: Double) -> PassageHit {
        let headings = row.text(4)
        return PassageHit(
            location: row.text(0), title: row.text(1), language: row.text(2),
            passage: Passage(
                text: row.text(3), headings: headings.isEmpty ? [] : headings.split(separator: Character(headingSeparator)).map(String.init),
                offset: Int(row.integer(5)), ordinal: Int(row.integer(6))),
            score: score)
    }

    /// The name of a language's table: its primary tag, `und` when it has none.
    static func tableLanguage(_ tag: String) -> String {
        let primary = tag.lowercased().prefix { $0.isASCII && $0.isLetter }
        return (2...8).contains(primary.count) ? String(primary) : "und"
    }

    private static func index(_ id: Int64, _ words: Words, language: String, _ connection: SQLiteConnection) throws {
        let isNew = try connection.execute("INSERT OR IGNORE INTO word_tables (language, passages) VALUES (?, 0)", [.text(language)]) > 0
        if isNew {
            // Contentless: the words are computed from the passage, which is stored once.
            try connection.run(script: """
                CREATE VIRTUAL TABLE IF NOT EXISTS words_\(language)
                USING fts5(title, headings, text, content='', tokenize='porter unicode61 remove_diacritics 2')
                """)
        }
        try connection.execute("INSERT INTO words_\(language) (rowid, title, headings, text) VALUES (?, ?, ?, ?)", [SQLiteValue(id)] + words.values)
        try connection.execute("UPDATE word_tables SET passages = passages + 1 WHERE language = ?", [.text(language)])
    }

    /// What the full-text table holds of a passage. Deleting gives the same words again, so this may only change with a migration.
    private struct Words {
        var title: String
        var headings: String
        var text: String

        var values: [SQLiteValue] {
            [title, headings, text].map { .text(SearchWords.indexed($0)) }
        }
    }

    /// FNV-1a, 64 bits: the same on every machine and in every run.
    private static func hash(_ parts: String...) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return Int64(bitPattern: hash)
    }
}
