import CCrypto
import Foundation
import SottoFetching
import SottoStreams

/// Pages on the disk, one file each, for a bounded time in a bounded space.
///
/// A file holds the length of its description (4 bytes, the most significant first), the description in JSON, and the body. It is written
/// under another name first, so a crash leaves no half page. Whatever is wrong with the disk costs a request, never an answer.
actor PageCache {
    struct Limits: Sendable {
        var bytes: Int64 = 256 << 20
        var retention: Duration = .seconds(30 * 86_400)
    }

    private let executor = BlockingExecutor(label: "sotto.pagecache")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let folder: String
    private let limits: Limits
    private let now: @Sendable () -> Date
    private var storedSinceCleaning = Int64.max

    init(folder: String, limits: Limits, now: @escaping @Sendable () -> Date) {
        self.folder = folder
        self.limits = limits
        self.now = now
    }

    /// What is stored for an address and has not passed its time.
    func page(_ url: String, languages: String) -> (page: CachedPage, body: [UInt8])? {
        let path = path(url, languages)
        guard let data = FileManager.default.contents(atPath: path), data.count >= 4 else { return nil }
        let bytes = [UInt8](data)
        let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - 4, let page = try? JSONDecoder().decode(CachedPage.self, from: Data(bytes[4..<(4 + length)])) else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
        let body = Array(bytes[(4 + length)...])
        guard page.url == url, page.languages == languages, page.bodySize == body.count else { return nil }
        guard now().timeIntervalSince(page.date) < limits.retention / .seconds(1) else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
        return (page, body)
    }

    func store(_ page: CachedPage, body: [UInt8]) {
        guard let description = try? JSONEncoder().encode(page) else { return }
        let length = description.count
        let head = [
            UInt8(truncatingIfNeeded: length >> 24), UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length),
        ]
        let path = path(page.url, page.languages)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let draft = path + ".new"
            guard
                FileManager.default.createFile(atPath: draft, contents: Data(head) + description + Data(body), attributes: [.posixPermissions: 0o600])
            else { return }
            _ = try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: draft, toPath: path)
        } catch { return }
        let size = Int64(4 + length + body.count)
        storedSinceCleaning = storedSinceCleaning.addingReportingOverflow(size).overflow ? .max : storedSinceCleaning + size
        // The first page of a process, and every sixteenth part of the space after it.
        if storedSinceCleaning > limits.bytes / 16 { clean() }
    }

    /// Removes what is too old, then the oldest until the rest fits.
    func clean() {
        storedSinceCleaning = 0
        let keys: [URLResourceKey] = [.contentModificationDateKey, .fileSizeKey]
        guard let files = try? FileManager.default.contentsOfDirectory(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: keys) else {
            return
        }
        var entries: [(file: URL, date: Date, size: Int64)] = []
        let oldest = now().addingTimeInterval(-(limits.retention / .seconds(1)))
        for file in files {
            guard let values = try? file.resourceValues(forKeys: Set(keys)) else { continue }
            let date = values.contentModificationDate ?? .distantPast
            if date < oldest { try? FileManager.default.removeItem(at: file) } else { entries.append((file, date, Int64(values.fileSize ?? 0))) }
        }
        var total = entries.reduce(0) { $0 + $1.size }
        for entry in entries.sorted(by: { $0.date < $1.date }) where total > limits.bytes {
            try? FileManager.default.removeItem(at: entry.file)
            total -= entry.size
        }
    }

    private func path(_ url: String, _ languages: String) -> String {
        let key = Array((url + "\n" + languages).utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        var size: UInt32 = 0
        _ = unsafe EVP_Digest(key, key.count, &digest, &size, EVP_sha256(), nil)
        return folder + "/" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
