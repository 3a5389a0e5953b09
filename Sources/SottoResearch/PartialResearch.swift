import Foundation

/// What can be shown of a research that ended early, from the steps that it had finished.
public enum PartialResearch {
    /// - Parameter output: The kept JSON of a step, by its name; `nil` when it was not finished.
    /// - Returns: `nil` when nothing had been read yet. Claims appear only when their check was finished; drafted ones are not shown.
    public static func result(of task: ResearchTask, model: String, output: (String) -> String?) -> ResearchResult? {
        func step<Output: Decodable>(_ type: Output.Type, _ name: String, _ round: Int) -> Output? {
            output(ResearchStep.name(name, round: round)).flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
        }
        // The last round whose check was finished says most; else what was read last.
        var read: (Int, ResearchStep.Reading)?
        var checked: (Int, ResearchStep.Reading, ResearchStep.Checking)?
        for round in 1...ResearchLimits(task.mode).rounds {
            guard let reading = step(ResearchStep.Reading.self, ResearchStep.Reading.name, round) else { break }
            read = (round, reading)
            guard let checking = step(ResearchStep.Checking.self, ResearchStep.Checking.name, round) else { break }
            checked = (round, reading, checking)
        }
        if let (round, reading, checking) = checked {
            var report = Report(task: task, reading: reading, model: model)
            report.rounds = round
            report.claims = checking.claims
            report.conflicts = checking.conflicts
            let isAnswered = checking.claims.contains(where: \.isSupported)
            return report.result(isAnswered ? .answered : .notAnswered, timings: ResearchResult.Timings())
        }
        guard let (round, reading) = read, reading.passages.isEmpty == false else { return nil }
        var report = Report(task: task, reading: reading, model: model)
        report.rounds = round
        return report.result(.stopped, timings: ResearchResult.Timings())
    }
}
