/// What a closure inside ``SQLiteDatabase/read(_:)`` or ``SQLiteDatabase/write(_:)`` works with.
///
/// Synchronous: it runs on the database's own thread and must not be kept.
public final class SQLiteConnection {
    let handle: SQLiteHandle
    private var statements: [String: SQLiteStatement] = [:]

    init(handle: SQLiteHandle) { self.handle = handle }

    /// Runs one statement that gives no rows.
    ///
    /// - Returns: How many rows it changed.
    /// - Throws: ``SQLiteError``, or `CancellationError` when the surrounding task was cancelled.
    @discardableResult
    public func execute(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int {
        try query(sql, values) { _ in }
        return handle.changes
    }

    /// Runs one statement and hands each row to `body`, in order.
    @discardableResult
    public func query<Value>(_ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws -> Value) throws -> [Value] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var result: [Value] = []
        while try statement.step() { result.append(try body(SQLiteRow(statement: statement))) }
        return result
    }

    /// The first row, if there is one.
    public func first<Value>(_ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws -> Value) throws -> Value? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? body(SQLiteRow(statement: statement)) : nil
    }

    /// The row id of the last insert.
    public var lastInsertedRow: Int64 { handle.lastInsertedRow }

    /// Runs several statements without values, as migrations do.
    public func run(script: String) throws(SQLiteError) { try handle.run(script: script) }

    private func prepared(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        // Statements are few and fixed, but for those of a language's tables; a full cache starts again.
        if statements.count >= 200 { statements = [:] }
        let statement = try SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }
}
