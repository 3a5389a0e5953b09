import Foundation
import SottoPowerLoss
import SottoSQLiteStore

/// `power-loss [IMAGES]`: the full trial of the job store, with the safe setting and with the one that must lose; prints a line of JSON for each.
///
/// Ends with status 1 when something acknowledged was lost or damaged with `synchronous = FULL`, or nothing was with `NORMAL`.
@main struct PowerLossRunner {
    static func main() async throws {
        let images = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3_000
        var isGood = true
        for synchronous in ["FULL", "NORMAL"] {
            var total = PowerLossReport(synchronous: synchronous)
            let start = ContinuousClock.now
            // The control has only to show that the harness can see a loss.
            let count = synchronous == "FULL" ? images : max(images / 10, 300)
            // Often and seldom copied logs; the last is the program's own setting.
            for (seed, checkpointPages) in [(1, 20), (2, 100), (3, 1_000)] {
                let trial = PowerLossTrial(
                    synchronous: synchronous, migrations: StoreSchema.migrations, seed: UInt64(seed), images: count * 4 / 5 / 3,
                    checkpointPages: checkpointPages)
                total.add(try await trial.run(JobStoreWorkload(operations: 500, seed: UInt64(seed))))
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            print(String(decoding: try encoder.encode(Line(seconds: (seconds * 10).rounded() / 10, report: total)), as: UTF8.self))
            isGood = isGood && (synchronous == "FULL" ? total.lost + total.corrupt == 0 : total.lost > 0)
        }
        if isGood == false { exit(1) }
    }

    struct Line: Encodable {
        var name = "power-loss"
        var seconds: Double
        var report: PowerLossReport
    }
}
