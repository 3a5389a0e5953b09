import Foundation
import SottoFetching
import SottoResearch
import SottoSearch

extension Engines {
    /// The web as a research reads it. Only the owner of the data may ask it, for the ledger is written first.
    ///
    /// - Parameter job: In whose name requests are entered into the ledger.
    func webEvidence(job: Int64? = nil) throws -> WebEvidence {
        let fetcher = try fetcher()
        let archives = settings.kiwixAddress.isEmpty ? nil : KiwixArchives(address: settings.kiwixAddress, fetcher: fetcher)
        return WebEvidence(
            search: try search(), fetcher: fetcher, reader: reader, cutter: cutter,
            configuration: WebEvidence.Configuration(region: settings.region.isEmpty ? nil : settings.region, job: job),
            allowance: { archives?.readingAllowance(for: $0) })
    }

    /// Whether the settings, as they stand on the disk now, let research use the web; the error that says what to change when they do not.
    func webRefusal() -> FetchError? {
        do {
            try Settings.networkPermission(at: places.settings).requireResearch()
            return nil
        } catch {
            return error
        }
    }
}
