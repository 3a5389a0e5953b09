import Foundation
import SottoModelStore
import SottoSQLiteStore
import SottoSecretStore
import SottoTakes
import SottoVoices

/// Shows, hands out and erases what Sotto keeps. Exporting and erasing are for the owner of the data alone.
struct DataKeeping: Sendable {
    let engines: Engines

    var places: Places { engines.places }
    private var settings: Settings { engines.settings }

    // MARK: Showing

    /// - Throws: ``SQLiteError``, ``ModelStoreError``; `CancellationError`.
    func inventory() async throws -> DataInventory {
        let stored = try await storeParts()?.sizes() ?? [:]
        var parts: [DataInventory.Part] = []
        for part in DataPart.allCases { parts.append(try await describe(part, stored)) }
        return DataInventory(folder: places.data, parts: parts, freeBytes: places.freeBytes ?? 0)
    }

    private func describe(_ part: DataPart, _ stored: [StorePart: StoreParts.Size]) async throws -> DataInventory.Part {
        let files = DataFolder(paths(of: part), without: part == .other ? known : [])
        var (bytes, items, days) = (files.bytes, files.files.count, Double?.none)
        if let size = part.stored.flatMap({ stored[$0] }) { bytes += size.bytes }
        switch part {
        case .agents: items = stored[.jobs]?.items ?? 0
        case .library: items = stored[.library]?.items ?? 0
        case .ledger:
            items = (stored[.ledger]?.items ?? 0) + lines(places.data + "/ledger.jsonl")
            days = settings.ledgerDays
        case .takes:
            items = TakeStore(folder: places.takes).list().count
            days = settings.takeDays
        case .voices: items = engines.voiceFolder.voices().count
        case .pages: days = settings.pageCacheDays
        case .models: items = try await engines.modelStore().list().count { $0.state != .missing }
        case .secrets: items = (try? SecretFile(path: places.secrets).names().count) ?? items
        case .speech, .transcripts, .settings, .key, .access, .other: break
        }
        return .init(id: part.rawValue, name: part.name, bytes: bytes, items: items, days: days, canErase: part.canErase)
    }

    private func lines(_ path: String) -> Int { FileManager.default.contents(atPath: path)?.count { $0 == UInt8(ascii: "\n") } ?? 0 }

    /// What lies in files of its own.
    func paths(of part: DataPart) -> [String] {
        switch part {
        case .agents: []
        case .library: [places.documents]
        case .ledger: [places.data + "/ledger.jsonl"]
        case .takes: [places.takes]
        case .voices: [places.voices]
        case .speech: [places.speech]
        case .pages: [places.pages, places.unrecognizedPages, places.searchHealth]
        case .transcripts: [places.transcripts]
        case .models: [engines.environment["SOTTO_MODELS"] ?? places.models]
        case .settings: [places.settings, places.replacements, places.pronunciations]
        case .secrets: [places.secrets]
        case .key: [places.installationKey]
        case .access: [places.serverKey, places.devices, places.certificate]
        case .other: [places.data, places.cache, places.configuration]
        }
    }

    /// What belongs to a part, or holds nothing of anybody: the database counts by its parts, and locks are empty.
    private var known: Set<String> {
        var known = Set(DataPart.allCases.filter { $0 != .other }.flatMap(paths))
        known.formUnion(["", "-wal", "-shm", ".lock"].map { places.database + $0 })
        return known
    }

    func storeParts() throws -> StoreParts? {
        if let database = try engines.ownDatabase() { return StoreParts(database: database) }
        return FileManager.default.fileExists(atPath: places.database) ? try StoreParts(readingFrom: places.database) : nil
    }

    // MARK: Retention

    /// Removes what has passed its days: takes, requests, pages. Each leaves by itself where it is used; a process that runs for weeks without using
    /// one calls this daily.
    ///
    /// - Throws: ``SQLiteError``; `CancellationError`.
    func sweep(now: Date) async throws {
        func moment(_ days: Double) -> Date { now.addingTimeInterval(-days * 86_400) }
        if settings.takeDays > 0 { TakeStore(folder: places.takes).removeAll(startedBefore: moment(settings.takeDays)) }
        for path in DataFolder([places.pages, places.unrecognizedPages]).files {
            let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            if let changed, changed < moment(settings.pageCacheDays) { try DataFolder.remove(path) }
        }
        if let database = try engines.ownDatabase() { try await StoreParts(database: database).removeRequests(before: moment(settings.ledgerDays)) }
        try sweepDownloads(before: moment(settings.ledgerDays))
    }

    /// The list of downloads, anew without its oldest lines; lines that cannot be read are kept.
    private func sweepDownloads(before moment: Date) throws {
        let path = places.data + "/ledger.jsonl"
        guard let data = FileManager.default.contents(atPath: path) else { return }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let lines = data.split(separator: UInt8(ascii: "\n"))
        let kept = lines.filter { line in (try? decoder.decode(ModelLedgerRow.self, from: Data(line))).map { $0.time >= moment } ?? true }
        guard kept.count < lines.count else { return }
        guard PrivateFile.write(Data(kept.flatMap { $0 + [UInt8(ascii: "\n")] }), to: path) else {
            throw CommandError("\(path) cannot be written; check its folder and its space")
        }
    }

    // MARK: Erasing

    /// Erases parts, so that nothing of them is left in any file of Sotto's.
    ///
    /// - Returns: What could not go, a line for each: takes that are being recorded.
    /// - Throws: ``CommandError``, ``SQLiteError`` (`.busy` while a job runs), ``ModelStoreError``, ``VoiceError``; `CancellationError`. What came
    ///   before is erased then.
    func erase(_ parts: Set<DataPart>) async throws -> [String] {
        if let odd = parts.first(where: { $0.canErase == false }) {
            throw CommandError("\"\(odd.rawValue)\" cannot be erased: look at the files themselves, in \(places.data)")
        }
        var left: [String] = []
        // First what may be refused.
        let stored = Set(parts.compactMap(\.stored))
        if stored.isEmpty == false, FileManager.default.fileExists(atPath: places.database) {
            guard let database = try engines.ownDatabase() else { throw CommandError("only the owner of the data may erase it") }
            try await StoreParts(database: database).erase(stored)
        }
        for part in DataPart.allCases where parts.contains(part) {
            try Task.checkCancellation()
            switch part {
            case .agents, .other: break
            case .takes: left += try eraseTakes()
            case .voices: try eraseVoices()
            case .models: try await eraseModels()
            case .speech, .transcripts: try DataFolder.empty(paths(of: part)[0])
            case .library, .ledger, .pages, .settings, .secrets, .key, .access: for path in paths(of: part) { try DataFolder.remove(path) }
            }
        }
        return left
    }

    private func eraseTakes() throws -> [String] {
        let store = TakeStore(folder: places.takes)
        store.removeAll(startedBefore: .distantFuture)
        let recording = Set(store.list().map(\.id))
        // What cannot be read is no take, and is not kept either.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: places.takes)) ?? [] where recording.contains(name) == false {
            try DataFolder.remove(places.takes + "/" + name)
        }
        return recording.sorted().map { "the take \($0) is being recorded and was kept; stop it and erase again" }
    }

    private func eraseVoices() throws {
        for voice in engines.voiceFolder.voices() { try engines.removeVoice(voice) }
        // Voices that cannot be read, and sentences that were asked for.
        try DataFolder.empty(places.voices)
        // Those of voices that were removed while they spoke.
        try DataFolder.empty(places.speech + "/voices")
    }

    private func eraseModels() async throws {
        let store = try engines.modelStore()
        for row in try await store.list() where row.state != .missing { try await store.remove(row.id) }
    }
}

extension DataPart {
    /// Where it is in the database.
    var stored: StorePart? {
        switch self {
        case .agents: .jobs
        case .library: .library
        case .ledger: .ledger
        default: nil
        }
    }
}
