import Foundation
import SottoSearching

/// Keeps result pages that were not understood, for bug reports: the latest ten, for their owner alone, since they hold queries.
struct UnrecognizedPages: Sendable {
    let folder: String
    private static let kept = 10

    /// - Returns: Where it is; `nil` when there is nothing to keep or no room.
    func keep(_ page: UnrecognizedPage, of provider: ProviderID, at date: Date) -> String? {
        guard page.body.isEmpty == false else { return nil }
        let stamp = date.ISO8601Format(.init(dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true))
        let path = "\(folder)/\(stamp)-\(provider.rawValue).txt"
        guard PrivateFile.write(Data(page.body), to: path) else { return nil }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        for name in names.dropLast(Self.kept) { try? FileManager.default.removeItem(atPath: folder + "/" + name) }
        return path
    }
}
