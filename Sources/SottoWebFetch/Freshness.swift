import Foundation

/// Whether an answer may be kept, and how long it answers without asking again (RFC 9111, as a private cache).
struct Freshness: Sendable, Equatable {
    var mayStore: Bool
    /// Seconds from its arrival.
    var lifetime: Double

    /// A page that says nothing is asked for again after this: a research job that reads it twice asks once.
    static let unstated = 600.0
    /// However long a server promises.
    static let longest = 86_400.0

    /// - Parameter headers: Names in lower case.
    init(status: Int, headers: [String: String]) {
        var directives: [String: String] = [:]
        for part in (headers["cache-control"] ?? "").lowercased().split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"")) }
            if let name = pair.first { directives[name] = pair.count > 1 ? pair[1] : "" }
        }
        mayStore = status == 200 && directives["no-store"] == nil && headers["vary"]?.trimmingCharacters(in: .whitespaces) != "*"
        if directives["no-cache"] != nil {
            lifetime = 0
        } else if let text = directives["max-age"], let seconds = Double(text), seconds.isFinite {
            let age = headers["age"].flatMap { Double($0) } ?? 0
            lifetime = min(max(0, seconds - max(0, age)), Self.longest)
        } else {
            lifetime = Self.unstated
        }
    }
}
