import Foundation
import SottoAudio
import SottoTakes
import Testing

@Suite struct TakeStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-takes-\(UUID().uuidString)").path
    private var store: TakeStore { TakeStore(folder: folder) }
    private func clean() { try? FileManager.default.removeItem(atPath: folder) }
    private let sound = (0..<16_000).map { Float($0 % 200 - 100) / 128 }

    @Test("a take that is ended is listed with its length and text, and its audio is what was appended")
    func whole() throws {
        defer { clean() }
        let recorder = try store.begin(now: Date(timeIntervalSince1970: 1_000_000_000))
        try recorder.setDevice("Desk")
        for start in stride(from: 0, to: 16_000, by: 320) { try recorder.append(Array(sound[start..<(start + 320)])) }
        try recorder.append([2, -2, .nan])
        try recorder.finish(text: "hello", recognizer: "model")
        let takes = store.list()
        #expect(takes.count == 1)
        let take = try #require(takes.first)
        #expect(take.state == .finished && take.text == "hello" && take.recognizer == "model" && take.device == "Desk")
        #expect(take.started == Date(timeIntervalSince1970: 1_000_000_000))
        #expect(take.id.hasPrefix("20010909-014640-000"))
        let audio = try WAVFile(path: try store.audio(of: take.id)).mono()
        #expect(audio.sampleRate == 16_000 && audio.samples.count == 16_003)
        #expect(zip(audio.samples, sound).allSatisfy { abs($0 - $1) <= 1.0 / 32_768 })
        #expect(audio.samples.suffix(3).map { ($0 * 32_768).rounded() } == [32_767, -32_768, 0])
        for (path, mode) in [("", 0o700), ("/audio.wav", 0o600), ("/take.json", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(take.id)\(path)")
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    @Test("a take that is being recorded is left alone, and can be read up to the last second")
    func recording() throws {
        defer { clean() }
        let recorder = try store.begin()
        try recorder.append(sound)
        try recorder.append([0.5])
        let take = try #require(store.list().first)
        #expect(take.state == .recording)
        #expect(try WAVFile(path: try store.audio(of: take.id)).mono().samples.count == 16_000)
        let error = #expect(throws: TakeError.self) { try store.remove(take.id) }
        #expect(error?.code == .inUse)
        #expect(store.removeAll(startedBefore: .distantFuture) == 0)
        withExtendedLifetime(recorder) {}
    }

    @Test("a take whose recorder died is recovered whole, half a sample and a lost description included")
    func recovered() throws {
        defer { clean() }
        var id = ""
        do {
            // Dropped without an end, as by a crash: the lock goes with it.
            let recorder = try store.begin(sampleRate: 24_000)
            id = recorder.take.id
            try recorder.append(sound)
            try recorder.append(Array(sound.prefix(8000)))
        }
        let path = try store.audio(of: id)
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data([7]))
        try file.close()
        try FileManager.default.removeItem(atPath: "\(folder)/\(id)/take.json")
        let take = try #require(store.list().first)
        #expect(take.state == .recovered)
        #expect(take.seconds == 1)
        #expect(take.text == nil)
        let audio = try WAVFile(path: path).mono()
        #expect(audio.sampleRate == 24_000 && audio.samples.count == 24_000)
        try store.setPending(.init(language: "de", attempts: 1), of: id)
        #expect(try store.take(id).pending == .init(language: "de", attempts: 1))
        try store.setText([.init(text: "found", start: 0, end: 0.5)], recognizer: "model", of: id)
        #expect(try store.take(id).pending == nil)
        #expect(try store.take(id).segments == [.init(text: "found", start: 0, end: 0.5)])
        #expect(try store.take(id).text == "found")
        try store.remove(id)
        #expect(store.list().isEmpty)
    }

    @Test("old takes go, newer ones stay, newest first")
    func retention() throws {
        defer { clean() }
        for day in 1...3 { try store.begin(now: Date(timeIntervalSince1970: Double(day) * 86_400)).finish(text: "\(day)", recognizer: nil) }
        #expect(store.list().map(\.text) == ["3", "2", "1"])
        #expect(store.removeAll(startedBefore: Date(timeIntervalSince1970: 2 * 86_400)) == 1)
        #expect(store.list().map(\.text) == ["3", "2"])
    }

    @Test("a name that is not a take's is not found, and leads nowhere", arguments: ["", "..", "../secrets", "20010909-014640-0001", "A b"])
    func names(id: String) throws {
        defer { clean() }
        try store.begin().finish(text: nil, recognizer: nil)
        let error = #expect(throws: TakeError.self) { try store.remove(id) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("sotto takes list") == true)
    }

    @Test("a file is locked once")
    func lock() throws {
        defer { clean() }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let first = try LockedFile.open(folder + "/lock", create: true)
        #expect(first != nil)
        #expect(try LockedFile.open(folder + "/lock", create: true) == nil)
        withExtendedLifetime(first) {}
    }

    @Test func unwritable() {
        let error = #expect(throws: TakeError.self) { try TakeStore(folder: "/proc/none").begin() }
        #expect(error?.code == .notWritable)
    }
}
