import SottoSpeechEngines

/// The vocabulary of a Moonshine model, and how its tokens become text.
///
/// The file is a sequence of tokens, each preceded by its length: one byte below 128, or two bytes `a`, `b` for the length
/// `a − 128 + 128 · b`. A zero is an empty token. Tokens are UTF-8 with `▁` for a space; single bytes stand for what the
/// vocabulary lacks, so a character can be spread over several tokens.
struct MoonshineTokenizer: Sendable {
    static let beginning = 1
    static let end = 2
    /// Markers of the form `<<ST_n>>` and the three control tokens are never text.
    private static let markerPrefix: [UInt8] = Array("<<ST_".utf8)
    private static let space: [UInt8] = [0xE2, 0x96, 0x81]

    private let tokens: [[UInt8]]

    /// - Throws: ``RecognitionError`` `.modelNotLoaded` when the bytes are not such a file of `vocabulary` tokens.
    init(bytes: [UInt8], vocabulary: Int) throws(RecognitionError) {
        var tokens: [[UInt8]] = []
        tokens.reserveCapacity(vocabulary)
        var position = 0
        func damaged() -> RecognitionError {
            RecognitionError(.modelNotLoaded, "the tokenizer file is damaged; fetch it again: sotto models pull")
        }
        while position < bytes.count {
            var length = Int(bytes[position])
            position += 1
            if length >= 128 {
                guard position < bytes.count else { throw damaged() }
                length += Int(bytes[position]) * 128 - 128
                position += 1
            }
            guard position + length <= bytes.count else { throw damaged() }
            let token = bytes[position..<(position + length)]
            // The space is written out once, here, and not at every use.
            tokens.append(Self.withSpaces(token))
            position += length
        }
        guard tokens.count == vocabulary else { throw damaged() }
        self.tokens = tokens
    }

    private static func withSpaces(_ token: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = token
        while let first = rest.first {
            if rest.starts(with: space) {
                result.append(0x20)
                rest = rest.dropFirst(space.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// The bytes of one token; empty for control tokens, markers and numbers outside the vocabulary.
    func bytes(of token: Int) -> [UInt8] {
        guard token > Self.end, tokens.indices.contains(token), tokens[token].starts(with: Self.markerPrefix) == false else { return [] }
        return tokens[token]
    }

    /// Whether a token begins with a space, and so a word.
    func startsWord(_ token: Int) -> Bool { bytes(of: token).first == 0x20 }

    /// The text of a decode, without surrounding spaces; bytes that are not UTF-8 become U+FFFD.
    func text(of tokens: [Int]) -> String {
        let bytes = tokens.flatMap { self.bytes(of: $0) }
        var text = Substring(String(decoding: bytes, as: UTF8.self))
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
