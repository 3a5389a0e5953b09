import SottoPowerLoss
import Testing

@Suite struct CrashModelTests {
    /// Names synced, ten bytes synced, then three pages written over it.
    func model() -> CrashModel {
        var model = CrashModel()
        model.apply(.create(name: "/d/a", file: 0))
        model.apply(.write(file: 0, offset: 0, bytes: [UInt8](repeating: 1, count: 10)))
        model.apply(.sync(file: 0))
        model.apply(.syncFolder)
        model.apply(.write(file: 0, offset: 0, bytes: [UInt8](repeating: 2, count: 3 * 4_096)))
        return model
    }

    @Test("what was synced is there, whatever becomes of the rest", arguments: CrashModel.Survival.allCases)
    func syncedIsThere(survival: CrashModel.Survival) throws {
        var model = model()
        model.apply(.sync(file: 0))
        var random = SeededGenerator(seed: 3)
        #expect(model.image(survival, using: &random) == ["/d/a": [UInt8](repeating: 2, count: 3 * 4_096)])
    }

    @Test("pages of one write get there one by one, and in any order")
    func pagesAreReordered() throws {
        let model = model()
        #expect(model.pendingCount == 3)
        var random = SeededGenerator(seed: 3)
        var seen: Set<[Bool]> = []
        for _ in 0..<200 {
            let bytes = try #require(model.image(.some, using: &random)["/d/a"])
            // Every page is old, new or a hole, never a mixture.
            seen.insert([0, 4_096, 8_192].map { $0 + 4_095 < bytes.count && bytes[$0 + 4_095] == 2 })
        }
        #expect(seen.count == 8)
        #expect(model.image(.nothing, using: &random)["/d/a"] == [UInt8](repeating: 1, count: 10))
        #expect(model.image(.everything, using: &random)["/d/a"]?.count == 3 * 4_096)
    }

    @Test("a page is torn where sectors of 512 bytes begin, and nowhere else")
    func pagesAreTorn() throws {
        let model = model()
        var random = SeededGenerator(seed: 3)
        var tornPages = 0
        for _ in 0..<100 {
            let bytes = try #require(model.image(.torn, using: &random)["/d/a"])
            for sector in stride(from: 512, to: bytes.count - 511, by: 512) {
                #expect(Set(bytes[sector..<sector + 512]).count == 1)
                if sector % 4_096 != 0, bytes[sector] != bytes[sector - 1] { tornPages += 1 }
            }
        }
        #expect(tornPages > 100)
    }

    @Test("a file whose folder was not synced may be gone, its bytes synced or not")
    func namesGetLost() throws {
        var model = CrashModel()
        model.apply(.create(name: "/d/a", file: 0))
        model.apply(.write(file: 0, offset: 0, bytes: [1]))
        model.apply(.sync(file: 0))
        var random = SeededGenerator(seed: 3)
        #expect(model.image(.nothing, using: &random).isEmpty)
        #expect(model.image(.everything, using: &random) == ["/d/a": [1]])
        model.apply(.syncFolder)
        model.apply(.delete(name: "/d/a"))
        #expect(model.image(.nothing, using: &random) == ["/d/a": [1]])
        #expect(model.image(.everything, using: &random).isEmpty)
    }

    @Test("what a failed sync left behind is not brought by the next one, unless its page is written again")
    func failedSyncLoses() throws {
        var model = model()
        model.apply(.failedSync(file: 0))
        model.apply(.write(file: 0, offset: 4_096, bytes: [3]))
        model.apply(.sync(file: 0))
        var random = SeededGenerator(seed: 3)
        let bytes = try #require(model.image(.nothing, using: &random)["/d/a"])
        #expect(bytes.prefix(10) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(Array(bytes[4_096..<4_099]) == [3, 2, 2])
        #expect(bytes.count == 8_192)
    }
}
