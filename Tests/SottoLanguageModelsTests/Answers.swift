import SottoLanguageModels

/// An answer with claims, as research asks for.
struct ClaimedAnswer: Generable, Equatable {
    struct Claim: Codable, Sendable, Equatable {
        var text: String
        var sources: [Int]
    }
    var answered: Bool
    var claims: [Claim]
    var gaps: [String]

    static let generationSchema = GenerationSchema.object([
        .init("answered", .boolean),
        .init(
            "claims",
            .array(
                of: .object([
                    .init("text", .string(minimumLength: 1, maximumLength: 200)),
                    .init("sources", .array(of: .integer(1...6), minimum: 1, maximum: 3)),
                ]), minimum: 0, maximum: 5)),
        .init("gaps", .array(of: .string(maximumLength: 80), minimum: 0, maximum: 3)),
    ])
}
