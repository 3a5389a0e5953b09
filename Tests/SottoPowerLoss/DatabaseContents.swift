package import SottoSQLiteStore

/// Everything that stands in a database's tables, as text, so that two databases can be compared.
package struct DatabaseContents: Sendable, Equatable {
    package let text: String

    package init(of database: SQLiteDatabase) async throws {
        text = try await database.read { connection in
            let tables = try connection.query("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name") { ($0.text(0), $0.text(1)) }
            var lines: [String] = []
            for (table, sql) in tables {
                lines.append(sql)
                let columns = try connection.query("SELECT name FROM pragma_table_info(?)", [.text(table)]) { "quote(\"\($0.text(0))\")" }
                lines += try connection.query("SELECT \(columns.joined(separator: " || ',' || ")) AS line FROM \"\(table)\" ORDER BY line") { $0.text(0) }
            }
            return lines.joined(separator: "\n")
        }
    }
}
