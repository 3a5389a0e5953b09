/// A header's value and its parameters (RFC 9110, section 5.6.6).
package struct HeaderValue: Sendable, Equatable {
    package var value: String
    /// By name in lower case.
    package var parameters: [String: String]

    /// Reads quoted parameters with `\"` and `%22` for a quotation mark, as browsers write them.
    package init(_ text: String) {
        var pieces: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if isEscaped {
                pieces[pieces.count - 1].append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", isQuoted == false {
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(character)
            }
        }
        func trimmed(_ text: some StringProtocol) -> String {
            String(String(text.drop { $0 == " " || $0 == "\t" }).reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        parameters = [:]
        for piece in pieces.dropFirst() {
            guard let equals = piece.firstIndex(of: "=") else { continue }
            parameters[trimmed(piece[..<equals]).lowercased()] = trimmed(piece[piece.index(after: equals)...]).replacing("%22", with: "\"")
        }
        value = trimmed(pieces[0])
    }
}
