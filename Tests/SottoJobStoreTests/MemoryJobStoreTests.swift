import SottoJobStore
import SottoTestSupport
import Testing

@Suite struct MemoryJobStoreTests {
    @Test("keeps the promises of a job store", arguments: JobStorePromise.all)
    func promise(_ promise: JobStorePromise) async throws {
        try await promise.check(MemoryJobStore())
    }
}
