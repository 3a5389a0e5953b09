import SottoSpeechEngines

/// The tokens of a Whisper model: what text they stand for, and which numbers steer it.
struct WhisperVocabulary: Sendable {
    /// The numbers that are no text.
    struct Control: Sendable, Equatable {
        /// Ends the text; the first number that is no text.
        var end: Int
        var start: Int
        var translate: Int
        var transcribe: Int
        var noSpeech: Int
        var noTimestamps: Int
        /// Stands for the beginning of the audio; each number after it for 0.02 s more.
        var firstTimestamp: Int
        /// By language.
        var languages: [String: Int]
    }

    /// Seconds between two timestamps.
    static let timestampStep = 0.02

    let control: Control
    /// The bytes of each text token.
    private let texts: [[UInt8]]
    /// How many tokens there are, control tokens included.
    let count: Int
    /// Marks that nobody speaks: brackets, notes, hash signs and their like, with which the network writes "[music]". Source: openai/whisper
    /// `tokenizer.py`, `non_speech_tokens`.
    let nonSpeech: [Int]
    /// The token of a single space.
    let blank: Int?

    init(control: Control, texts: [[UInt8]], count: Int) {
        self.control = control
        self.texts = texts
        self.count = count
        let single = "\"#()*+/:;<=>@[\\]^_`{|}~「」『』".map(String.init)
        let several = "<< >> <<< >>> -- --- -( -[ (' (\" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪".split(separator: " ").map(String.init)
        let notes = "♩♪♫♬♭♮♯".map(String.init)
        var wanted = Set((single + several + notes).flatMap { [Array($0.utf8), Array((" " + $0).utf8)] })
        wanted.formUnion([Array(" -".utf8), Array(" '".utf8)])
        var numbers: [[UInt8]: Int] = [:]
        var found: Set<Int> = []
        var longest: [[UInt8]: (length: Int, token: Int)] = [:]
        let openings = notes.flatMap { [Array($0.utf8), Array((" " + $0).utf8)] }
        for (token, bytes) in texts.enumerated() where bytes.isEmpty == false {
            if wanted.contains(bytes) { found.insert(token) }
            if bytes == [0x20] { numbers[bytes] = token }
            // A note that has no token of its own is known by the token that it begins with.
            for opening in openings where opening.starts(with: bytes) && bytes.count > (longest[opening]?.length ?? 0) {
                longest[opening] = (bytes.count, token)
            }
        }
        // A space alone begins everything.
        found.formUnion(longest.values.filter { texts[$0.token] != [0x20] }.map(\.token))
        nonSpeech = found.sorted()
        blank = numbers[[0x20]]
    }

    /// The bytes a token stands for; none for control tokens.
    func bytes(of token: Int) -> [UInt8] { texts.indices.contains(token) ? texts[token] : [] }

    /// Whether a token is part of the text.
    func isText(_ token: Int) -> Bool { token < control.end }

    /// Seconds from the start of the audio that a timestamp stands for.
    func time(of token: Int) -> Double? {
        token >= control.firstTimestamp ? Double(token - control.firstTimestamp) * Self.timestampStep : nil
    }

    /// Whether a token begins a word.
    func startsWord(_ token: Int, in language: String) -> Bool {
        let bytes = bytes(of: token)
        if Transcript.languagesWithoutSpaces.contains(language) {
            // A token stands for a word.
            // The later bytes of a character belong to what they continue.
            return bytes.first.map { $0 & 0xC0 != 0x80 } ?? false
        }
        return bytes.first == 0x20
    }

    /// The text of tokens; bytes that make no character become U+FFFD.
    func text(of tokens: some Sequence<Int>) -> String {
        let text = String(decoding: tokens.flatMap { bytes(of: $0) }, as: UTF8.self)
        return text.drop { $0 == " " }.description
    }
}
