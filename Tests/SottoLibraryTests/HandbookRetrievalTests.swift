import Foundation
import SottoDocument
import SottoLibrary
import SottoPages
import SottoPassageIndex
import SottoSQLiteStore
import Testing

/// Retrieval on the Debian handbook. `SOTTO_EVAL` names the folder with `handbook-dev.jsonl`; with `SOTTO_EVAL_LANGUAGES=all`
/// every edition is added (minutes in a debug build).
@Suite(.serialized) struct HandbookRetrievalTests {
    static let handbook = "/usr/share/doc/debian-handbook/html"
    static let questionsPath = (ProcessInfo.processInfo.environment["SOTTO_EVAL"] ?? "") + "/handbook-dev.jsonl"
    static var isAvailable: Bool {
        FileManager.default.fileExists(atPath: handbook + "/en-US") && FileManager.default.fileExists(atPath: questionsPath)
    }

    private struct Question: Decodable {
        var id: String
        var question: String
        var answerable: Bool
        var expect: [String]?
        var page: String?
    }

    @Test("the passage that answers is among the first six", .enabled(if: isAvailable, "set SOTTO_EVAL and install debian-handbook"))
    func retrieval() async throws {
        let questions = try String(contentsOfFile: Self.questionsPath, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Question.self, from: Data($0.utf8))
        }.filter(\.answerable)
        let folder = try TemporaryFolder()
        let index = try SQLitePassageIndex(path: folder.path + "/library.sqlite", role: .writer)
        let library = Library(index: index, reader: PageReader())
        let all = ProcessInfo.processInfo.environment["SOTTO_EVAL_LANGUAGES"] == "all"
        let clock = ContinuousClock()
        let start = clock.now
        let report = try await library.add(Self.handbook + "/en-US")
        print("en-US: \(report.indexed) files, \(report.passages) passages, \(report.failed) failed, \(clock.now - start)")
        try await score(questions, library, "English only", least: 19)
        guard all else { return }
        let whole = try await library.add(Self.handbook)
        print("all: \(whole.indexed) files, \(whole.passages) passages, \(whole.failed) failed, \(clock.now - start)")
        try await score(questions, library, "26 languages", least: 19)
    }

    private func score(_ questions: [Question], _ library: Library, _ name: String, least: Int) async throws {
        var passages = 0, pages = 0, first = 0
        var times: [Duration] = []
        for question in questions {
            let clock = ContinuousClock()
            let start = clock.now
            let hits = try await library.search(PassageQuery(text: question.question, language: "en", limit: 6))
            times.append(clock.now - start)
            let patterns = try (question.expect ?? []).map { try NSRegularExpression(pattern: $0, options: .caseInsensitive) }
            let rank = hits.firstIndex { hit in
                guard hit.location.hasSuffix("/" + (question.page ?? "")) else { return false }
                let text = hit.passage.text
                return patterns.allSatisfy { $0.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil }
            }
            if rank != nil { passages += 1 }
            if rank == 0 { first += 1 }
            if hits.contains(where: { $0.location.hasSuffix("/" + (question.page ?? "")) }) { pages += 1 }
            if hits.contains(where: { $0.location.contains("/html/") && $0.location.contains("/en-US/") == false }) { print("  \(question.id): other edition in the hits") }
            if rank == nil {
                print("  \(question.id) missed: \(question.question)")
                for hit in hits { print("    \(hit.location.split(separator: "/").suffix(2).joined(separator: "/"))#\(hit.passage.ordinal) \(hit.score) \(hit.passage.text.prefix(60).replacing("\n", with: " "))") }
            }
        }
        times.sort()
        print("\(name): hit@6 by passage \(passages)/\(questions.count), by page \(pages)/\(questions.count), first \(first); search median \(times[times.count / 2]), worst \(times[times.count - 1])")
        #expect(passages >= least)
    }
}
