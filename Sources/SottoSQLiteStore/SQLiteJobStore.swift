public import SottoJobStore

/// Jobs in SQLite, in the same file as the passages.
///
/// One writing connection, write-ahead log, `synchronous = FULL`: a call that returned is on the disk. Reading stores open the file read-only;
/// their writes fail.
public struct SQLiteJobStore: JobStore {
    let database: SQLiteDatabase

    /// - Parameter database: Opened with ``StoreSchema/migrations``; may be shared with a ``SQLitePassageIndex``.
    public init(database: SQLiteDatabase) {
        self.database = database
    }

    /// Opens a database of its own connection.
    ///
    /// - Throws: ``JobStoreError``: `.busy` names the process that writes.
    public init(path: String, role: SQLiteDatabase.Role) throws {
        do {
            database = try SQLiteDatabase(path: path, role: role, migrations: StoreSchema.migrations, needs: StoreSchema.jobVersion)
        } catch let error as SQLiteError {
            throw JobStoreError(error)
        }
    }

    func read<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        do { return try await database.read(body) } catch let error as SQLiteError { throw JobStoreError(error) }
    }

    func write<Value: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        do { return try await database.write(body) } catch let error as SQLiteError { throw JobStoreError(error) }
    }
}

extension JobStoreError {
    /// The same message under the store's own codes.
    init(_ error: SQLiteError) {
        let code: Code = switch error.code {
        case .busy: .busy
        case .diskFull: .diskFull
        case .corrupt: .corrupt
        case .readOnly, .cannotOpen, .newerSchema, .constraint, .ioFailed, .failed: .failed
        }
        self.init(code, error.message)
    }
}

// MARK: - For users

extension SQLiteJobStore {
    public func add(_ new: NewJob, at now: JobInstant) async throws -> Job {
        try await write { connection in try JobRows.insert(new, schedule: nil, scheduledFor: nil, at: now, connection) }
    }

    @discardableResult
    public func requestCancel(_ id: JobID, at now: JobInstant) async throws -> Job {
        try await write { connection in
            let job = try JobRows.existing(id, connection)
            switch job.state {
            case .queued:
                try JobRows.change(
                    "state = 'cancelled', isCancelRequested = 1, finishedAt = ?2", where: "id = ?1 AND state = 'queued'",
                    [SQLiteValue(id.rawValue), JobRows.value(now.date)], at: now, connection)
            case .running where job.isCancelRequested == false:
                try connection.execute("UPDATE jobs SET isCancelRequested = 1, revision = revision + 1 WHERE id = ?", [SQLiteValue(id.rawValue)])
                try JobRows.tell(.note, JobText.cancelRequested, job, at: now, connection)
            case .running, .completed, .failed, .cancelled: break
            }
            return try JobRows.existing(id, connection)
        }
    }

    public func keep(_ partial: JobResult, of id: JobID, at now: JobInstant) async throws {
        try await write { connection in
            let job = try JobRows.existing(id, connection)
            guard job.state == .failed || job.state == .cancelled else { throw JobText.cannotKeep(job) }
            guard try connection.first("SELECT 1 FROM job_results WHERE job = ?", [SQLiteValue(id.rawValue)], { _ in true }) == nil else { return }
            try JobRows.insert(partial, of: id, connection)
            try connection.execute("UPDATE jobs SET revision = revision + 1 WHERE id = ?", [SQLiteValue(id.rawValue)])
        }
    }

    @discardableResult
    public func retry(_ id: JobID, at now: JobInstant) async throws -> Job {
        try await write { connection in
            let changed = try JobRows.change(
                """
                state = 'queued', dueAt = ?2, finishedAt = NULL, attemptsWithoutProgress = 0, isCancelRequested = 0, error = NULL
                """, where: "id = ?1 AND state IN ('failed', 'cancelled')", [SQLiteValue(id.rawValue), JobRows.value(now.date)], at: now, connection)
            guard let job = changed.first else { throw JobText.cannotRetry(try JobRows.existing(id, connection)) }
            try connection.execute("DELETE FROM job_results WHERE job = ?", [SQLiteValue(id.rawValue)])
            return job
        }
    }

    public func remove(_ id: JobID, at now: JobInstant) async throws {
        try await write { connection in
            // Steps, log and result go with it (ON DELETE CASCADE).
            guard try connection.execute("DELETE FROM jobs WHERE id = ? AND state <> 'running'", [SQLiteValue(id.rawValue)]) == 0 else { return }
            throw JobText.cannotRemove(try JobRows.existing(id, connection))
        }
    }
}
