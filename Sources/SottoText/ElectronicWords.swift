/// Spoken forms of what is written for machines: addresses, paths, file names, options, commands.
enum ElectronicWords {
    private static let symbols: [Character: String] = [
        "/": "slash", ".": "dot", "_": "underscore", "~": "tilde", "=": "equals", "*": "star", "$": "dollar", "|": "pipe", ">": "greater than",
        "<": "less than", ":": "colon", "@": "at", "#": "hash", "\\": "backslash", "+": "plus", "%": "percent", "&": "and", "^": "caret",
        "!": "bang", "?": "question mark",
    ]
    /// Endings that are said otherwise than they are written.
    private static let labels = [
        "txt": "text", "html": "HTML", "htm": "HTM", "xml": "XML", "pdf": "PDF", "png": "PNG", "jpg": "J peg", "jpeg": "J peg", "svg": "SVG",
        "css": "CSS", "js": "JS", "py": "P Y", "sh": "S H", "md": "MD", "cfg": "config", "conf": "conf", "gz": "G Z", "tgz": "TGZ", "xz": "X Z",
        "deb": "deb", "tar": "tar", "so": "S O", "db": "D B", "www": "WWW", "nvidia": "NVIDIA", "json": "jason", "yml": "yammel", "yaml": "yammel",
        "uk": "UK", "de": "DE", "it": "IT", "fr": "FR", "us": "US", "eu": "EU", "io": "IO", "ai": "AI", "sm": "SM", "tv": "TV", "ch": "CH",
        "wav": "wave", "mp3": "M P three", "mp4": "M P four", "sql": "SQL", "csv": "CSV", "ini": "ini", "d": "D", "c": "C", "h": "H", "id": "ID",
    ]

    /// One address, path or word of a command. A hyphen before a word is "dash".
    ///
    /// - Parameter saysHyphens: Whether a hyphen inside a word is "dash" too, as it must be where it has to be typed again.
    static func token(_ text: some StringProtocol, saysHyphens: Bool = false) -> String {
        var words: [String] = []
        var word = ""
        var isDigits = false
        func flush() {
            guard word.isEmpty == false else { return }
            if isDigits {
                words.append(number(word))
            } else {
                words.append(words.last == "dot" || words.last == "at" ? labels[word] ?? word : word)
            }
            word = ""
        }
        var previous: Character = " "
        for character in text {
            if character.isLetter || character.isNumber || character == "'" {
                if word.isEmpty == false, isDigits != character.isNumber { flush() }
                isDigits = character.isNumber
                word.append(character)
            } else {
                flush()
                if character == "-" {
                    if saysHyphens || previous.isLetter == false && previous.isNumber == false { words.append("dash") }
                } else if let name = symbols[character] {
                    words.append(name)
                }
            }
            previous = character
        }
        flush()
        return words.joined(separator: " ")
    }

    /// Digits inside an address: a year as one, up to two digits as a number, others one by one.
    private static func number(_ digits: String) -> String {
        if digits.count == 4, let value = Int(digits), (1900..<2100).contains(value) { return NumberWords.year(value) }
        return digits.count > 2 || (digits.count > 1 && digits.hasPrefix("0")) ? NumberWords.digits(digits) : NumberWords.number(digits)
    }

    /// The longest path that a listener can follow, in characters and in parts.
    private static let longestPath = (characters: 40, parts: 3)

    /// A web address as people say it: without scheme, "www" and a slash at the end.
    ///
    /// A long path, and what follows a question mark or hash, is for machines alone: then the host stands for the whole.
    static func address(_ text: String) -> String {
        var rest = Substring(text)
        for prefix in ["https://", "http://", "ftp://", "mailto:"] where rest.lowercased().hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        if rest.lowercased().hasPrefix("www.") { rest = rest.dropFirst(4) }
        if let end = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) { rest = rest[..<end] }
        while rest.last == "/" { rest.removeLast() }
        let host = rest.prefix { $0 != "/" }
        let path = rest[host.endIndex...]
        let spoken = token(host, saysHyphens: true)
        guard path.isEmpty == false, path.count <= longestPath.characters, path.filter({ $0 == "/" }).count <= longestPath.parts,
            path.contains("%") == false
        else { return spoken }
        return spoken + " " + token(path)
    }

    /// A command line: its words in order, operators by what they do.
    static func command(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).map { word in
            switch word {
            case "&&", ";": "and then"
            case "||": "or else"
            case "|": "pipe"
            case ">": "into"
            case ">>": "onto the end of"
            case "<": "from"
            case "&": "in the background"
            case "\\": ""
            default: token(word)
            }
        }.filter { $0.isEmpty == false }.joined(separator: " ")
    }
}
