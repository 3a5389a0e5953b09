/// The steps of the one database's schema: all stores live in one file, so all openers give the same list.
public enum StoreSchema {
    /// For ``SQLiteDatabase/init(path:role:migrations:needs:)``. New steps are appended, never changed.
    public static let migrations: [SQLiteDatabase.Migration] = [
        SQLiteDatabase.Migration(script: SQLitePassageIndex.schema),
        SQLiteDatabase.Migration(script: SQLiteJobStore.schema),
        SQLiteDatabase.Migration(script: SQLiteNetworkLedger.schema),
    ]

    /// The first version that holds all that the passage index reads.
    static let passageVersion = 1
    /// The first version that holds all that the job store reads.
    static let jobVersion = 2
    /// The first version that holds all that the network ledger reads.
    static let ledgerVersion = 3
}
