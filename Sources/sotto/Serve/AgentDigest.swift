import SottoJobStore
import Synchronization

/// What a list shows of a job's result.
struct AgentDigest: Sendable, Equatable {
    /// The row that it was read at.
    var revision: Int
    var summary: String?
    /// Of a finished research, see ``ResearchResult``.
    var status: String?
    /// Claims that hold and that were checked.
    var supported: Int?
    var checked: Int?
}

/// A job as the app shows it.
struct AgentReport: Sendable, Encodable {
    var job: JobReport
    var revision: Int
    /// The newest line of one that runs.
    var progress: String?
    var digest: AgentDigest?

    private enum Key: String, CodingKey { case revision, progress, summary, status, supported, checked }

    func encode(to encoder: any Encoder) throws {
        try job.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(revision, forKey: .revision)
        try container.encodeIfPresent(progress, forKey: .progress)
        try container.encodeIfPresent(digest?.summary, forKey: .summary)
        try container.encodeIfPresent(digest?.status, forKey: .status)
        try container.encodeIfPresent(digest?.supported, forKey: .supported)
        try container.encodeIfPresent(digest?.checked, forKey: .checked)
    }
}

extension App {
    /// A job with what the app shows besides.
    func report(_ job: Job) async throws -> AgentReport {
        var digest: AgentDigest?
        if job.state.isFinal {
            digest = digests.withLock { $0[job.id] }
            if digest?.revision != job.revision {
                let made = try await store.result(of: job.id).map { Self.digest(of: $0, revision: job.revision) }
                digest = made
                digests.withLock { digests in
                    // Lists are short; what was forgotten is read again.
                    if digests.count > 2_000 { digests = [:] }
                    digests[job.id] = made
                }
            }
        }
        let line = job.state == .running ? progress.withLock { $0[job.id] } : nil
        return AgentReport(job: JobReport(job), revision: job.revision, progress: line, digest: digest)
    }

    func reports(_ jobs: [Job]) async throws -> [AgentReport] {
        var reports: [AgentReport] = []
        for job in jobs { reports.append(try await report(job)) }
        return reports
    }

    private static func digest(of result: JobResult, revision: Int) -> AgentDigest {
        let body = JSONValue(parsing: result.body)
        let counts = body?["counts"]
        return AgentDigest(
            revision: revision, summary: result.summary.isEmpty ? nil : result.summary, status: body?["status"]?.text,
            supported: counts?["supported"]?.whole, checked: counts?["checked"]?.whole)
    }
}
