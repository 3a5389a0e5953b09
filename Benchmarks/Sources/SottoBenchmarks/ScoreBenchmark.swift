import Foundation
import SottoText

/// Word error rate of pairs: reference, tab, hypothesis, one pair a line on standard input; one line of JSON for each and one for
/// all. Both sides go through the same normalizer.
struct ScoreBenchmark {
    func run() throws {
        var total = WordErrorRate()
        while let line = readLine() {
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let rate = WordErrorRate(
                reference: TranscriptNormalizer.words(parts[0]), hypothesis: TranscriptNormalizer.words(parts.count > 1 ? parts[1] : ""))
            total = total + rate
            try write(rate, name: "pair")
        }
        try write(total, name: "total")
    }

    private func write(_ rate: WordErrorRate, name: String) throws {
        let line: [String: Any] = [
            "name": name, "errors": rate.errors, "substitutions": rate.substitutions, "insertions": rate.insertions,
            "deletions": rate.deletions, "words": rate.referenceWords, "rate": rate.rate.isFinite ? rate.rate : -1,
        ]
        FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys]) + Data("\n".utf8))
    }
}
