/// What Sotto keeps on this machine, as `sotto data show --json` and `GET /api/data` give it.
struct DataInventory: Sendable, Encodable, Equatable {
    struct Part: Sendable, Encodable, Equatable {
        var id: String
        var name: String
        var bytes: Int64
        /// Jobs and schedules, documents, requests, takes, voices, models, keys; files of the rest.
        var items: Int
        /// After how many days it leaves by itself; absent for what stays.
        var days: Double?
        var canErase: Bool
    }

    var schemaVersion = 1
    /// Where the data is.
    var folder: String
    var parts: [Part]
    /// On the disk that holds the folder.
    var freeBytes: Int64
}
