/// What a command accepts after its name.
struct ArgumentSpec: Sendable {
    enum Kind: Sendable, Equatable {
        case flag
        case value(String)
        case repeated(String)
    }
    var options: [String: Kind]
    /// Shown when the call is wrong, and by `--help`.
    var usage: String

    init(_ usage: String, _ options: [String: Kind] = [:]) {
        self.usage = usage
        self.options = options
    }
}

/// A command line taken apart; pure, so that every rule has a test.
struct Arguments: Sendable, Equatable {
    var positional: [String] = []
    var flags: Set<String> = []
    var values: [String: [String]] = [:]

    /// - Throws: ``UsageError`` that names the nearest known option.
    init(_ words: [String], spec: ArgumentSpec) throws {
        var rest = words[...]
        var optionsEnded = false
        while let word = rest.popFirst() {
            guard optionsEnded == false, word.hasPrefix("--") || (word.hasPrefix("-") && word.count == 2 && word != "-") else {
                positional.append(word)
                continue
            }
            if word == "--" {
                optionsEnded = true
                continue
            }
            let parts = word.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0] == "h" ? "help" : parts[0]
            switch spec.options[name] ?? (name == "help" ? .flag : nil) {
            case .flag:
                guard parts.count == 1 else { throw UsageError("--\(name) takes no value", usage: spec.usage) }
                flags.insert(name)
            case .value(let placeholder), .repeated(let placeholder):
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("--\(name) needs \(placeholder)", usage: spec.usage)
                }
                if case .value = spec.options[name], values[name] != nil { throw UsageError("--\(name) is given twice", usage: spec.usage) }
                values[name, default: []].append(value)
            case nil:
                let near = Spelling.nearest(to: name, among: spec.options.keys.sorted()).map { "; did you mean --\($0)?" } ?? ""
                throw UsageError("unknown option \(word)\(near)", usage: spec.usage)
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
    func value(_ name: String) -> String? { values[name]?.first }

    /// A value that must be one of a few words.
    func choice<Value: RawRepresentable & CaseIterable>(_ name: String, default fallback: Value, usage: String) throws -> Value
    where Value.RawValue == String {
        guard let word = value(name) else { return fallback }
        guard let value = Value(rawValue: word) else {
            throw UsageError("--\(name) is one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(word)\"", usage: usage)
        }
        return value
    }
}

/// The call itself is wrong: exit status 2.
struct UsageError: Error, CustomStringConvertible {
    var message: String
    var usage: String

    init(_ message: String, usage: String) {
        self.message = message
        self.usage = usage
    }

    var description: String { message }
}

/// The work failed: exit status 1. The message is one line that says what to do.
struct CommandError: Error, CustomStringConvertible {
    var message: String
    init(_ message: String) { self.message = message }
    var description: String { message }
}

/// Finds what somebody may have meant.
enum Spelling {
    /// The closest candidate, when it is close enough to be a slip.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let scored = candidates.map { ($0, distance(word, $0)) }
        guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(1, word.count / 3) else { return nil }
        return best.0
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (character == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
