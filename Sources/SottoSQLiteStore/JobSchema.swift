extension SQLiteJobStore {
    /// Times are whole microseconds since 1970, lease ends whole nanoseconds since the machine's start. AUTOINCREMENT: no number comes twice.
    static let schema = """
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, title TEXT NOT NULL, payload TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
            createdAt INTEGER NOT NULL, dueAt INTEGER NOT NULL, startedAt INTEGER, finishedAt INTEGER,
            attempt INTEGER NOT NULL DEFAULT 0, attemptsWithoutProgress INTEGER NOT NULL DEFAULT 0, maximumAttempts INTEGER NOT NULL,
            leaseWorker TEXT, leaseToken INTEGER, leaseBoot TEXT, leaseExpires INTEGER, lastHeard INTEGER,
            isCancelRequested INTEGER NOT NULL DEFAULT 0, outcome TEXT, error TEXT, parent INTEGER, schedule INTEGER, scheduledFor INTEGER,
            revision INTEGER NOT NULL DEFAULT 1) STRICT;
        CREATE INDEX jobs_due ON jobs (dueAt, id) WHERE state = 'queued';
        CREATE INDEX jobs_running ON jobs (id) WHERE state = 'running';
        CREATE TABLE job_steps (
            id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, name TEXT NOT NULL, attempt INTEGER NOT NULL,
            startedAt INTEGER NOT NULL, finishedAt INTEGER NOT NULL, output TEXT NOT NULL, UNIQUE (job, name)) STRICT;
        CREATE TABLE job_events (
            id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, date INTEGER NOT NULL,
            attempt INTEGER NOT NULL, kind TEXT NOT NULL, step TEXT NOT NULL, text TEXT NOT NULL) STRICT;
        CREATE INDEX job_events_by_job ON job_events (job, id);
        CREATE TABLE job_results (
            job INTEGER PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE, body TEXT NOT NULL, findings TEXT NOT NULL, summary TEXT NOT NULL,
            outcome TEXT NOT NULL) STRICT;
        CREATE TABLE job_tokens (last INTEGER NOT NULL) STRICT;
        INSERT INTO job_tokens (last) VALUES (0);
        CREATE TABLE job_schedules (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, title TEXT NOT NULL, payload TEXT NOT NULL, rule TEXT NOT NULL,
            zone TEXT NOT NULL, maximumAttempts INTEGER NOT NULL, createdAt INTEGER NOT NULL, nextRun INTEGER, lastCheck INTEGER, lastRun INTEGER,
            missed INTEGER NOT NULL) STRICT;
        """
}
