import Foundation

/// What can be shown of a research that ended early, from the steps that it had finished.
public enum PartialResearch {
    /// - Parameter output: The kept JSON of a step, by its name; `nil` when it was not finished.
    /// - Returns: `nil` when nothing had been read yet. Claims appear only when their check was finished; drafted ones are not shown.
    public static func result(of task: ResearchTask, model: String, output: (String) -> String?) -> ResearchResult? {
        func step<Output: Decodable>(_ type: Output.Type, _ name: String) -> Output? {
            output(name).flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
        }
        guard let plan = step(ResearchStep.Plan.self, ResearchStep.Plan.name),
            let reading = step(ResearchStep.Reading.self, ResearchStep.Reading.name), reading.passages.isEmpty == false
        else { return nil }
        var report = Report(task: task, queries: plan.queries, reading: reading, model: model)
        guard let checking = step(ResearchStep.Checking.self, ResearchStep.Checking.name) else {
            return report.result(.stopped, timings: ResearchResult.Timings())
        }
        report.claims = checking.claims
        report.conflicts = checking.conflicts
        let isAnswered = checking.claims.contains(where: \.isSupported)
        return report.result(isAnswered ? .answered : .notAnswered, timings: ResearchResult.Timings())
    }
}
