internal import Foundation
import SottoSpeechEngines

/// The entries of a model's `tokens.txt`: the library leaves out, without saying so, what is not among them.
struct TokenList: Sendable {
    private let known: Set<String>

    /// - Throws: ``SynthesisError`` `.modelNotLoaded`.
    init(path: String) throws(SynthesisError) {
        guard let bytes = FileManager.default.contents(atPath: path), let text = String(validating: bytes, as: UTF8.self) else {
            throw SynthesisError(.modelNotLoaded, "\(path) cannot be read, or is not UTF-8 text; get the model again")
        }
        known = Set(
            text.split(whereSeparator: \.isNewline).compactMap { line in
                guard let border = line.lastIndex(where: \.isWhitespace), Int(line[line.index(after: border)...]) != nil else { return nil }
                return String(line[..<border])
            })
        guard known.count > 1 else { throw SynthesisError(.modelNotLoaded, "\(path) lists no tokens; get the model again") }
    }

    /// The tokens of phonemes: one for each character.
    ///
    /// - Returns: The tokens, and the sounds that the model does not have. Marks that it does not have say nothing and are left out.
    func tokens(of phonemes: String) -> (tokens: [String], missing: [String]) {
        var tokens: [String] = []
        var missing: [String] = []
        for scalar in phonemes.unicodeScalars {
            let token = String(scalar)
            if known.contains(token) { tokens.append(token) } else if scalar.properties.isAlphabetic { missing.append(token) }
        }
        return (tokens, missing)
    }
}
