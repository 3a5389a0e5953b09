public import SottoDocument
public import SottoDocumentReading
internal import SottoStreams
internal import Synchronization

/// Reads HTML, Markdown, plain text and PDF into documents.
///
/// ```swift
/// let document = try await PageReader().read(bytes, name: "guide.html")
/// let passages = PassageCutter().passages(of: document)
/// ```
/// What people do not see is left out and counted. Left out for now: office formats, EPUB, pictures of text.
public struct PageReader: DocumentReader, PageReading {
    /// What one file may cost.
    public struct Limits: Sendable {
        /// In bytes.
        public var fileSize = 32 << 20
        /// In bytes; PDF files hold pictures too.
        public var portableFileSize = 256 << 20
        /// For parsing one file.
        public var deadline: Duration = .seconds(15)
        /// Elements and texts of one page.
        public var nodes = 2_000_000
        /// What the parser holds of a page is taken over and freed each time this many bytes of markup were parsed; changes nothing but the memory.
        package var harvestInterval = HTMLTree.harvestInterval
        public init() {}
    }

    private let limits: Limits
    private let workers: [PageWorker]
    private let turn = Turn()

    private final class Turn: Sendable {
        let next = Atomic<Int>(0)
    }

    /// - Parameter parallel: How many files may be parsed at once, each on a thread of its own.
    public init(limits: Limits = Limits(), parallel: Int = 2) {
        self.limits = limits
        workers = (0..<max(1, parallel)).map { _ in PageWorker() }
    }

    public func read(_ bytes: [UInt8], name: String) async throws -> Document {
        try await read(bytes, name: name, charset: nil)
    }

    /// Reads one file whose sender named its encoding.
    ///
    /// - Parameter charset: The label that came with it, as in a Content-Type header; `nil` for files.
    /// - Throws: ``DocumentReadingError``; `CancellationError` within one piece of 4 KB.
    public func read(_ bytes: [UInt8], name: String, charset: String?) async throws -> Document {
        try await read(bytes, name: name, charset: charset, isFromWeb: false)
    }

    /// Reads what a web server sent for an address, and refuses pages that stand in the way of their content.
    ///
    /// - Parameters:
    ///   - bytes: The body, decoded from its transfer encodings; it may have been cut at a byte limit.
    ///   - address: Where it was found in the end, after redirects; for the kind and the messages.
    ///   - charset: The label in the Content-Type header, if any.
    /// - Throws: ``DocumentReadingError``: beside what files throw, `.challenge`, `.consentOnly`, `.loginRequired`, `.paywalled`, `.clientRendered` and
    ///   `.thin`; `CancellationError` within one piece of 4 KB.
    public func readPage(_ bytes: [UInt8], address: String, charset: String?) async throws -> Document {
        try await read(bytes, name: address, charset: charset, isFromWeb: true)
    }

    private func read(_ bytes: [UInt8], name: String, charset: String?, isFromWeb: Bool) async throws -> Document {
        guard bytes.contains(where: { $0 != 0x20 && ($0 < 9 || $0 > 13) }) else { throw DocumentReadingError(.empty, "\(name) is empty") }
        let kind = FileKind(bytes, name: name)
        let limit = kind == .pdf ? limits.portableFileSize : limits.fileSize
        guard bytes.count <= limit else {
            throw DocumentReadingError(
                .tooLarge, "\(name) has \(bytes.count / 1_000_000) MB, more than the \(limit / 1_000_000) MB that are read of one file; split it")
        }
        var document: Document
        switch kind {
        case .other(let what):
            throw DocumentReadingError(.unsupportedKind, "\(name) is \(what); HTML, Markdown, text and PDF files can be read")
        case .pdf:
            document = try await PDFReader.read(bytes, name: name, deadline: limits.deadline * 4, maximumText: limits.fileSize)
        case .html, .markdown, .text:
            let worker = workers[turn.next.wrappingAdd(1, ordering: .relaxed).oldValue % workers.count]
            document = try await worker.read(bytes, kind: kind, name: name, charset: charset, limits: limits, isFromWeb: isFromWeb)
        }
        let text = document.plainText
        guard text.isEmpty == false else { throw DocumentReadingError(.noText, "\(name) holds no text that a reader would see") }
        if document.title.isEmpty { document.title = name.split(separator: "/").last.map(String.init) ?? name }
        document.language = Self.language(of: document, text: text)
        return document
    }

    /// What the text shows, where it shows it clearly; else what the document says. Templates often claim English.
    private static func language(of document: Document, text: String) -> String? {
        // A thousand words tell.
        guard let seen = LanguageDetector.language(of: String(decoding: text.utf8.prefix(8_000), as: UTF8.self)) else { return document.language }
        guard let said = document.language else { return seen }
        let primary = said.prefix { $0.isLetter }.lowercased()
        let isSame = primary == seen || (["no", "nn"].contains(primary) && seen == "nb")
        return isSame || text.utf8.count < 400 ? said : seen
    }
}

/// Parses on a thread of its own, so that a long page blocks nobody else.
private actor PageWorker {
    private let executor = BlockingExecutor(label: "sotto.pages")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func read(_ bytes: [UInt8], kind: FileKind, name: String, charset: String?, limits: PageReader.Limits, isFromWeb: Bool) throws -> Document {
        let (text, encoding, replaced) = EncodingSniffer.decode(bytes, declared: charset, isMarkup: kind == .html)
        try Task.checkCancellation()
        var document = switch kind {
        case .markdown: try MarkdownReader.read(text, name: name, deadline: limits.deadline, maximumNodes: limits.nodes)
        case .html: try Self.page(text, name: name, limits: limits, isFromWeb: isFromWeb)
        case .text, .pdf, .other: PlainTextReader.read(text, name: name)
        }
        if isFromWeb, replaced > 3 {
            let shown = document.plainText.unicodeScalars
            guard shown.count(where: { $0 == "\u{FFFD}" }) * 10 <= shown.count else {
                throw DocumentReadingError(
                    .malformed, "\(name) cannot be read as \(encoding.name), which it is said to be; open it in a browser, or use another source")
            }
        }
        // A stray byte happens; more than one character in a thousand means that the encoding was guessed wrong or the file is damaged.
        if replaced > 3, replaced * 1_000 > text.unicodeScalars.count {
            document.notes.append("\(replaced) characters could not be read as \(encoding.name); the file may be damaged or its encoding mislabeled.")
        }
        return document
    }

    private static func page(_ text: String, name: String, limits: PageReader.Limits, isFromWeb: Bool) throws -> Document {
        var reading = try HTMLReader.reading(
            text, deadline: limits.deadline, maximumNodes: limits.nodes, harvestInterval: limits.harvestInterval)
        guard isFromWeb else { return reading.document }
        let plain = reading.document.plainText
        if let refusal = PageJudgment.refusal(of: reading, text: plain, address: name) { throw refusal }
        if PageJudgment.isPartial(reading, text: plain) { reading.document.isPartial = true }
        return reading.document
    }
}
