import SottoLibrary
import SottoPassageIndex

/// Reads folders into the library and says what came of it.
enum LibraryUpdate {
    /// - Parameter announce: Whether to report when nothing changed.
    static func run(_ path: String, context: Context, announce: Bool) async throws {
        guard let index = try await context.engines.index(writing: true) else { return }
        let report = try await context.library(index).add(path) { context.console.show($0) }
        context.hosting?.announcements.tell(.library)
        for failure in report.failures.prefix(10) { context.console.note("not read: \(failure.path): \(failure.reason)") }
        if report.failed > 10 { context.console.note("… and \(report.failed - 10) more files that could not be read") }
        guard announce || report.indexed > 0 || report.removed > 0 else { return }
        var parts = ["\(report.indexed) read", "\(report.unchanged) unchanged", "\(report.removed) removed"]
        if report.failed > 0 { parts.append("\(report.failed) not readable") }
        context.console.note("\(path): \(parts.joined(separator: ", ")); \(report.passages) passages")
        if report.failed > 0, report.indexed == 0, report.unchanged == 0 {
            throw CommandError("nothing in \(path) could be read: \(report.failures.first?.reason ?? "no reason given")")
        }
    }
}

extension Context {
    func library(_ index: any PassageIndex) -> Library { Library(index: index, reader: engines.reader, cutter: engines.cutter, log: log) }
}
