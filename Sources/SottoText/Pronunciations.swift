/// How a user wants words to be said, from a file that he keeps.
///
/// ```text
/// # Each line: what is written = how it is said.
/// nginx = engine ex
/// Siobhan = Shivawn
/// C. diff = see diff
/// GIF = /ʤˈɪf/
/// ```
/// A word counts only whole. Written in lower case it is meant in any case, else as it stands. Between slashes stand phonemes
/// in IPA with stress marks, for single words.
public struct Pronunciations: Sendable, Equatable {
    /// A line that could not be used.
    public struct Fault: Sendable, Equatable {
        /// From 1.
        public var line: Int
        public var message: String
    }

    /// What is said, by what is written, longest first.
    private var words: [(written: String, said: String)] = []
    /// Phonemes in IPA by the word in lower case.
    public private(set) var phonemes: [String: String] = [:]
    /// The lines that were left out, and why.
    public private(set) var faults: [Fault] = []

    public init() {}

    /// Reads a file's text; a line that cannot be used is left out and named in ``faults``.
    public init(parsing text: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.trimmed
            guard content.isEmpty == false, content.first != "#" else { continue }
            guard let sign = content.firstIndex(of: "=") else {
                faults.append(Fault(line: index + 1, message: "there is no \"=\" between what is written and how it is said"))
                continue
            }
            let written = String(content[..<sign].trimmed)
            let said = String(content[content.index(after: sign)...].trimmed)
            if written.isEmpty || said.isEmpty {
                faults.append(Fault(line: index + 1, message: "one side of the \"=\" is empty"))
            } else if said.count > 2, said.hasPrefix("/"), said.hasSuffix("/") {
                if written.contains(where: { $0.isLetter == false && $0 != "'" }) {
                    faults.append(Fault(line: index + 1, message: "phonemes are for single words without digits and signs"))
                } else {
                    phonemes[written.lowercased()] = String(said.dropFirst().dropLast())
                }
            } else {
                words.append((written, said))
            }
        }
        words.sort { $0.written.count > $1.written.count }
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.phonemes == right.phonemes && left.faults == right.faults && left.words.elementsEqual(right.words) { $0 == $1 }
    }

    /// The text with those words written as they are said.
    public func applied(to text: String) -> String {
        guard words.isEmpty == false else { return text }
        var result = ""
        var rest = Substring(text)
        var previous: Character = " "
        while let first = rest.first {
            let isStart = Self.isInside(previous) == false || Self.isInside(first) == false
            if isStart, let entry = words.first(where: { Self.begins(rest, with: $0.written) }) {
                result += entry.said
                rest = rest.dropFirst(entry.written.count)
                previous = entry.written.last ?? " "
            } else {
                result.append(first)
                rest = rest.dropFirst()
                previous = first
            }
        }
        return result
    }

    private static func begins(_ text: Substring, with written: String) -> Bool {
        let start = text.prefix(written.count)
        guard start.count == written.count else { return false }
        let isAnyCase = written.contains(where: \.isUppercase) == false
        guard start == written || (isAnyCase && start.lowercased() == written) else { return false }
        guard let last = written.last, let next = text.dropFirst(written.count).first else { return true }
        return isInside(last) == false || isInside(next) == false
    }

    private static func isInside(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
