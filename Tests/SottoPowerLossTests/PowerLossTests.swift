import SottoJobStore
import SottoPowerLoss
import SottoSQLiteStore
import Testing

@Suite struct PowerLossTests {
    @Test("after a power cut every acknowledged change of the job store is there, and nothing is damaged")
    func nothingAcknowledgedIsLost() async throws {
        var report = PowerLossReport(synchronous: "FULL")
        for checkpointPages in [20, 1_000] {
            let trial = PowerLossTrial(migrations: StoreSchema.migrations, seed: 5, images: 60, checkpointPages: checkpointPages)
            report.add(try await trial.run(JobStoreWorkload(operations: 90, seed: 5)))
        }
        #expect(report.images >= 150)
        #expect(report.acknowledged > 100)
        #expect(report.expected > 2_000)
        #expect(report.lost == 0, "\(report.examples)")
        #expect(report.corrupt == 0, "\(report.examples)")
        #expect(report.unacknowledgedKept > 0)
    }

    @Test("the control: with synchronous = NORMAL the same cuts lose what was acknowledged")
    func normalLoses() async throws {
        let trial = PowerLossTrial(synchronous: "NORMAL", migrations: StoreSchema.migrations, seed: 5, images: 40, checkpointPages: 20)
        let report = try await trial.run(JobStoreWorkload(operations: 90, seed: 5))
        #expect(report.lost > 0)
        #expect(report.imagesWithLoss > 10)
    }

    @Test("the second control: with synchronous = OFF the same cuts damage the database")
    func offDamages() async throws {
        let trial = PowerLossTrial(synchronous: "OFF", migrations: StoreSchema.migrations, seed: 5, images: 40, checkpointPages: 20)
        let report = try await trial.run(JobStoreWorkload(operations: 90, seed: 5))
        #expect(report.lost > 0)
        #expect(report.corrupt > 0)
    }
}
