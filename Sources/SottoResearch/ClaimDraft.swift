public import SottoLanguageModels

/// What a model writes about numbered passages.
public struct ClaimDraft: Generable, Equatable {
    public struct Claim: Codable, Sendable, Equatable {
        public var text: String
        /// Numbers of passages, from 1.
        public var sources: [Int]

        public init(text: String, sources: [Int]) {
            self.text = text
            self.sources = sources
        }
    }

    public var answered: Bool
    public var claims: [Claim]
    public var gaps: [String]

    public init(answered: Bool, claims: [Claim], gaps: [String]) {
        self.answered = answered
        self.claims = claims
        self.gaps = gaps
    }

    public static var generationSchema: GenerationSchema { schema(passages: 9, claims: 3) }

    /// The shape for a given number of passages: the grammar allows no number that was not shown.
    ///
    /// The claims come before the verdict. A small model that must first say whether it can answer guesses; one that has just
    /// written its best sentence judges that sentence. At least one claim is drafted, so that the verdict has something to judge.
    public static func schema(passages: Int, claims: Int) -> GenerationSchema {
        .object([
            .init(
                "claims",
                .array(
                    of: .object([
                        .init("text", .string(maximumLength: 320)),
                        .init("sources", .array(of: .integer(1...max(1, passages)), minimum: 1, maximum: 2)),
                    ]), minimum: 1, maximum: claims)),
            .init("answered", .boolean),
            .init("gaps", .array(of: .string(maximumLength: 120), minimum: 0, maximum: 1)),
        ])
    }
}
