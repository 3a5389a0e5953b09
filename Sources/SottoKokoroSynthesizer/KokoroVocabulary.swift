internal import Foundation
internal import SottoSpeechEngines

/// The model's tokens: one for each phoneme or mark that it knows.
struct KokoroVocabulary: Sendable {
    /// The padding token, before and after every input.
    static let padding: Int64 = 0
    private let tokens: [Unicode.Scalar: Int64]

    /// - Throws: ``SynthesisError`` `.modelNotLoaded` when the file is missing or of another form.
    init(path: String) throws(SynthesisError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SynthesisError(.modelNotLoaded, "the vocabulary at \(path) is missing; run `sotto models pull`")
        }
        guard let vocabulary = Self(json: data) else {
            throw SynthesisError(.modelNotLoaded, "the vocabulary at \(path) is damaged; run `sotto models verify`")
        }
        self = vocabulary
    }

    init?(json: Data) {
        struct File: Decodable { var vocab: [String: Int64] }
        guard let file = try? JSONDecoder().decode(File.self, from: json), file.vocab.isEmpty == false else { return nil }
        var tokens: [Unicode.Scalar: Int64] = [:]
        for (key, value) in file.vocab {
            guard let scalar = key.unicodeScalars.first, key.unicodeScalars.count == 1 else { return nil }
            tokens[scalar] = value
        }
        self.tokens = tokens
    }

    /// The tokens of a string of phonemes, without padding; what the model does not know is left out.
    func encode(_ phonemes: String) -> [Int64] {
        phonemes.unicodeScalars.compactMap { tokens[$0] }
    }
}
