import CLinux
import Foundation
import SottoComputeBudget
import SottoDocument
import SottoFetching
import SottoJobStore
import SottoKokoroSynthesizer
import SottoLanguageModels
import SottoLlama
import SottoMachineLoad
import SottoModelStore
import SottoObservability
import SottoPages
import SottoPassageIndex
import SottoSQLiteStore
import SottoSearchCascade
import SottoSmartTurn
import SottoSpeechEngines
import SottoWebFetch
import Synchronization

/// The only place that chooses engines. Each is made when it is first asked for.
final class Engines: Sendable {
    /// Language models in the order in which they are preferred.
    static let languageModels = [
        "qwen2.5-coder-1.5b-instruct-q4_k_m", "qwen2.5-coder-0.5b-instruct-q4_k_m", "smollm2-135m-instruct-q4_1",
    ]
    static let recognizerModel = "moonshine-tiny-en"
    static let languagesModel = "whisper-base"
    static let voiceActivityModel = "silero-vad"
    static let turnModel = "smart-turn-v3.2"
    static let synthesizerModel = "kokoro-82m-int8"

    let places: Places
    let settingsFile: SettingsFile
    /// As they stand on the disk.
    var settings: Settings { settingsFile.current }
    let budget: ComputeBudget
    let cutter = PassageCutter()
    let reader: PageReader
    let log: Log
    let environment: [String: String]
    private let store = Mutex<ModelStore?>(nil)
    /// Language models by id: one of each in memory, whoever asks.
    private let models = Mutex<[String: LlamaModel]>([:])
    /// Whether the one writing connection is kept and serves all readers too; only the owner of the data may.
    private let sharesDatabase: Bool
    private let shared = Mutex<SQLiteDatabase?>(nil)
    /// One for all: it paces requests to a host whoever asks.
    private let web = Mutex<(proxy: String, days: Double, fetcher: WebFetcher)?>(nil)
    let cascade = Mutex<(made: SearchSetting, cascade: SearchCascade)?>(nil)
    let recognizers = KeptEngines<any SpeechRecognizer>()
    let synthesizers = KeptEngines<KokoroSynthesizer>()
    let turnDetectors = KeptEngines<SmartTurn>()

    init(places: Places, settings file: SettingsFile, environment: [String: String], log: Log, sharesDatabase: Bool) {
        self.places = places
        settingsFile = file
        self.environment = environment
        self.sharesDatabase = sharesDatabase
        self.log = log
        let settings = file.current
        budget = ComputeBudget(
            threads: settings.threads > 0 ? settings.threads : ProcessInfo.processInfo.activeProcessorCount, load: LinuxMachineLoad())
        reader = PageReader()
    }

    var threads: Int { budget.threads }

    func modelStore() throws -> ModelStore {
        try store.withLock { store in
            if let store { return store }
            let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
            let path = try ModelManifest.locate(environment: environment, executable: executable)
            let manifest = try ModelManifest.load(from: path)
            let configuration = ModelStore.Configuration(root: environment["SOTTO_MODELS"] ?? places.models, environment: environment)
            let made = ModelStore(manifest: manifest, configuration: configuration, ledger: JSONLinesLedger(folder: places.data), log: log)
            store = made
            return made
        }
    }

    /// The model that answers: the one that the settings name, else the best that is installed; `nil` when none is.
    ///
    /// - Parameter note: Told what the user should know about the choice.
    func languageModel(note: (String) -> Void = { _ in }) async throws -> (any LanguageModel)? {
        let store = try modelStore()
        let wanted = settings.languageModel
        if wanted.isEmpty == false { return try model(at: try await store.installed(wanted)) }
        for id in Self.languageModels {
            guard try await store.status(of: id) == .installed else { continue }
            if id == Self.languageModels.last {
                note("Only \(id) is installed: it is made for tests, and its answers are poor. A better one: sotto models pull")
            }
            return try model(at: try await store.installed(id))
        }
        return nil
    }

    /// A model by its id.
    ///
    /// - Throws: ``LanguageModelError`` `.modelNotLoaded` when it is not installed.
    func languageModel(id: String) async throws -> any LanguageModel {
        let store = try modelStore()
        guard try await store.status(of: id) == .installed else {
            throw LanguageModelError(.modelNotLoaded, "\(id) is not installed; fetch it: sotto models pull \(id)")
        }
        return try model(at: try await store.installed(id))
    }

    private func model(at installed: InstalledModel) throws -> LlamaModel {
        guard let file = installed.files.first(where: { $0.hasSuffix(".gguf") }) else {
            throw CommandError("\(installed.id) is not a language model; see: sotto models list")
        }
        return try models.withLock { models in
            if let model = models[installed.id] { return model }
            let configuration = LlamaModel.Configuration(
                path: installed.path(file), name: installed.id, threads: threads, idleTime: .seconds(settings.modelIdleSeconds))
            let model = try LlamaModel(configuration, budget: budget, log: log)
            models[installed.id] = model
            return model
        }
    }

    /// The library's index; `nil` when it is only read and was never written.
    func index(writing: Bool) async throws -> (any PassageIndex)? {
        if let database = try ownDatabase() { return SQLitePassageIndex(database: database) }
        guard writing || FileManager.default.fileExists(atPath: places.database) else { return nil }
        return try SQLitePassageIndex(path: places.database, role: writing ? .writer : .reader)
    }

    /// The queue of jobs; `nil` when it is only read and was never written.
    func jobs(writing: Bool) throws -> (any JobStore)? {
        if let database = try ownDatabase() { return SQLiteJobStore(database: database) }
        guard writing || FileManager.default.fileExists(atPath: places.database) else { return nil }
        return try SQLiteJobStore(path: places.database, role: writing ? .writer : .reader)
    }

    /// The ledger of what left the machine; `nil` when it is only read and was never written.
    func ledger(writing: Bool) throws -> (any NetworkLedger)? {
        let retention = Duration.seconds(settings.ledgerDays * 86_400)
        if let database = try ownDatabase() { return SQLiteNetworkLedger(database: database, retention: retention) }
        guard writing || FileManager.default.fileExists(atPath: places.database) else { return nil }
        return try SQLiteNetworkLedger(path: places.database, role: writing ? .writer : .reader, retention: retention)
    }

    /// The web. Only the owner of the data may ask it, for the ledger is written first.
    func fetcher() throws -> any Fetching {
        let settings = settings
        return try web.withLock { web in
            if let web, web.proxy == settings.proxy, web.days == settings.pageCacheDays { return web.fetcher }
            guard let ledger = try ledger(writing: true) else {
                throw CommandError("the network ledger cannot be written, so nothing is asked of the web")
            }
            var configuration = WebFetcher.Configuration()
            configuration.proxy = settings.proxy.isEmpty ? nil : settings.proxy
            configuration.cacheFolder = settings.pageCacheDays > 0 ? places.pages : nil
            configuration.cacheRetention = .seconds(settings.pageCacheDays * 86_400)
            let path = places.settings
            let made = WebFetcher(configuration: configuration, ledger: ledger, permission: { Settings.networkPermission(at: path) })
            web = (settings.proxy, settings.pageCacheDays, made)
            return made
        }
    }

    /// Models that are in memory.
    func loadedModels() async -> Set<String> {
        var language: [String] = []
        for model in models.withLock({ Array($0.values) }) where await model.isLoaded { language.append(model.name) }
        return Set(recognizers.names + turnDetectors.names + synthesizers.names.map { String($0.prefix { $0 != "\n" }) } + language)
    }

    /// Lets go of what nobody has used for the time of the settings.
    func releaseIdle() {
        let time = Duration.seconds(settings.modelIdleSeconds)
        let went = [recognizers.release(idleFor: time), synthesizers.release(idleFor: time), turnDetectors.release(idleFor: time)]
        // What was freed is given back to the system, which the allocator does not do by itself.
        if went.contains(true) { malloc_trim(0) }
    }

    func jobClock() throws -> JobClock { try LinuxJobClock.make() }

    func ownDatabase() throws -> SQLiteDatabase? {
        guard sharesDatabase else { return nil }
        return try shared.withLock { database in
            if let database { return database }
            let opened = try SQLiteDatabase(path: places.database, role: .writer, migrations: StoreSchema.migrations)
            database = opened
            return opened
        }
    }

    /// What SQLite finds wrong with the database; `nil` when nothing is.
    func databaseDamage() async throws -> String? {
        let database = try SQLiteDatabase(path: places.database, role: .reader, migrations: StoreSchema.migrations, needs: 0)
        let found = try await database.read { connection in try connection.first("PRAGMA quick_check") { $0.text(0) } ?? "no answer" }
        return found == "ok" ? nil : found
    }

    func detectLanguage(_ text: String) -> String? { LanguageDetector.language(of: text) }
}
