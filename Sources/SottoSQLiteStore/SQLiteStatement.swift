internal import CSQLite

/// One prepared statement, finalized exactly once; only ``SQLiteConnection`` holds it.
@safe final class SQLiteStatement {
    private let pointer: OpaquePointer
    private let connection: SQLiteHandle

    init(_ sql: String, on connection: SQLiteHandle) throws(SQLiteError) {
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(connection.pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard result == SQLITE_OK, let pointer = unsafe pointer else { throw connection.error(result) }
        unsafe self.pointer = pointer
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(pointer) }

    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        let expected = Int(unsafe sqlite3_bind_parameter_count(pointer))
        precondition(values.count == expected, "the statement takes \(expected) values, not \(values.count)")
        for (index, value) in values.enumerated() {
            let position = Int32(index + 1)
            let result = switch value {
            case .null: unsafe sqlite3_bind_null(pointer, position)
            case .integer(let number): unsafe sqlite3_bind_int64(pointer, position, number)
            case .real(let number): unsafe sqlite3_bind_double(pointer, position, number)
            case .text(let text): bind(text, at: position)
            case .blob(let bytes): unsafe sqlite3_bind_blob64(pointer, position, bytes, UInt64(bytes.count), sotto_sqlite_transient())
            }
            guard result == SQLITE_OK else { throw connection.error(result) }
        }
    }

    private func bind(_ text: String, at position: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe sqlite3_bind_text64(pointer, position, characters.baseAddress, UInt64(characters.count), sotto_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
    }

    /// - Returns: Whether there is a row to read.
    func step() throws -> Bool {
        let result = unsafe sqlite3_step(pointer)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case SQLITE_INTERRUPT: throw CancellationError()
        default: throw connection.error(result)
        }
    }

    func reset() {
        unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
    }

    func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(pointer, Int32(column)) }
    func real(_ column: Int) -> Double { unsafe sqlite3_column_double(pointer, Int32(column)) }
    func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL }

    func text(_ column: Int) -> String {
        guard let bytes = unsafe sqlite3_column_text(pointer, Int32(column)) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(_ column: Int) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(pointer, Int32(column)) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// The row that a query stands on; valid only inside the closure that receives it.
public struct SQLiteRow {
    let statement: SQLiteStatement

    /// Column values, counted from 0; SQLite converts between types as its manual says.
    public func integer(_ column: Int) -> Int64 { statement.integer(column) }
    public func real(_ column: Int) -> Double { statement.real(column) }
    /// Empty for NULL.
    public func text(_ column: Int) -> String { statement.text(column) }
    public func blob(_ column: Int) -> [UInt8] { statement.blob(column) }
    public func isNull(_ column: Int) -> Bool { statement.isNull(column) }
}
