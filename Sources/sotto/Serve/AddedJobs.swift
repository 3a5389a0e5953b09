import SottoAgents
import SottoJobStore

/// Makes sure that a request that is sent twice, since its answer was lost, makes one job.
actor AddedJobs {
    private var known: [String: JobID] = [:]
    /// Those that are being added now.
    private var waiting: [String: Task<JobID, any Error>] = [:]

    /// Adds a job unless one was added with this token.
    ///
    /// - Parameters:
    ///   - token: Of the client's making; jobs that are kept remember theirs, so that a restart forgets none of the newest 200.
    ///   - add: Adds it.
    func once(_ token: String, in store: any JobStore, add: @escaping @Sendable () async throws -> JobID) async throws -> JobID {
        if let task = waiting[token] { return try await task.value }
        if let id = known[token] { return id }
        // Unstructured: a client that goes away must not undo what another one with the same token waits for.
        let task = Task {
            for job in try await store.jobs(states: Set(JobState.allCases), limit: 200) {
                if (try? ResearchJob.read(job.payload))?.token == token { return job.id }
            }
            return try await add()
        }
        waiting[token] = task
        defer { waiting[token] = nil }
        let id = try await task.value
        if known.count > 1_000 { known = [:] }
        known[token] = id
        return id
    }
}
