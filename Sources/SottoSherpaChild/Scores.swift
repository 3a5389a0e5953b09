internal import Foundation

/// What the library's JSON says beyond its structures.
struct Scores: Decodable {
    var logProbabilities: [Float]

    private enum CodingKeys: String, CodingKey { case logProbabilities = "ys_probs" }

    /// - Returns: `nil` when the model gives none.
    init?(json: String) {
        guard let found = try? JSONDecoder().decode(Scores.self, from: Data(json.utf8)) else { return nil }
        self = found
    }
}
