/// A document as a tree of blocks, whatever format it came in.
public struct Document: Sendable, Equatable, Codable {
    public var title: String
    /// BCP 47 tag such as `en-US`; `nil` when neither the document nor its text tells.
    public var language: String?
    public var blocks: [Block]
    /// How much text was left out because no reader would have seen it, in characters.
    public var hiddenCharacters: Int
    /// What a reader should know about how it was read, one sentence each: unreadable characters, a part left out.
    public var notes: [String]
    /// Who wrote it, as the document names them.
    public var byline: String?
    /// When it appeared, as ISO 8601: a date, or a date and time; `nil` when the document does not say.
    public var published: String?
    /// The address that a web page gives as its own (`rel=canonical`): a claim of the page, to tell copies apart, never to be trusted or opened unchecked.
    public var address: String?
    /// Whether only the beginning of it is there, as behind a paywall; `nil` when nothing speaks for that.
    public var isPartial: Bool?

    public init(title: String, language: String? = nil, blocks: [Block], hiddenCharacters: Int = 0, notes: [String] = []) {
        self.title = title
        self.language = language
        self.blocks = blocks
        self.hiddenCharacters = hiddenCharacters
        self.notes = notes
    }
}

/// One block of a ``Document``, in reading order.
public indirect enum Block: Sendable, Equatable, Codable {
    /// `level` 1 to 6.
    case heading(level: Int, text: String)
    case paragraph(String)
    case list(ordered: Bool, items: [[Block]])
    /// `rows` of cells; the first `headerRows` of them are headings.
    case table(rows: [[String]], headerRows: Int)
    case code(String)
    case quote([Block])
    /// A term and what it means.
    case definition(term: String, blocks: [Block])
}

/// A piece of a document that is short enough to be shown to a model and cited.
public struct Passage: Sendable, Equatable, Codable {
    public var text: String
    /// The headings above it, outermost first, without the document's title.
    public var headings: [String]
    /// Where it begins in the document's plain text, in UTF-8 bytes.
    public var offset: Int
    /// Its place among the document's passages, from 0.
    public var ordinal: Int

    public init(text: String, headings: [String] = [], offset: Int = 0, ordinal: Int = 0) {
        self.text = text
        self.headings = headings
        self.offset = offset
        self.ordinal = ordinal
    }
}
