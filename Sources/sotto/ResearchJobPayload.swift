import SottoJobStore
import SottoResearch

/// What a research job is asked: the payload of jobs of the kind "research".
struct ResearchJobPayload: Sendable, Equatable, Codable {
    /// Stands in every row; never renamed.
    static let kind = "research"

    var question: String
    var mode: ResearchTask.Mode
    /// BCP 47 tag; empty means that of the question.
    var language: String
    /// Only these parts of the library; all of it when empty.
    var libraryRoots: [String]
    /// Whether the web may be searched.
    var web: Bool
    /// The job whose sources are used first.
    var followUp: JobID?
}
