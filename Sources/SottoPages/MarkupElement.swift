internal import SottoDocumentReading

/// One element or text of a parsed page, for readers that look for certain markup (result pages of search engines) rather than for content.
package struct MarkupElement: Sendable {
    /// In lower case; empty for a text, `*` for elements that ``HTMLTag`` does not tell apart.
    package let tag: String
    /// Those that ``HTMLAttribute`` names, among them `id`, `class`, `href`, `action` and `src`.
    package let attributes: [String: String]
    package let text: String
    package let children: [MarkupElement]

    /// Parses a page within the given bounds.
    ///
    /// - Parameters:
    ///   - bytes: The page, as it came.
    ///   - charset: What the sender calls its encoding.
    /// - Throws: ``DocumentReadingError`` when the page is too large or takes too long; `CancellationError`.
    package static func parse(
        _ bytes: [UInt8], charset: String? = nil, deadline: Duration = .seconds(5), maximumNodes: Int = 200_000
    ) throws -> MarkupElement {
        let (encoding, mark) = EncodingSniffer.encoding(of: bytes, declared: charset, isMarkup: true)
        return try parse(text: TextDecoder.decode(bytes[mark...], encoding).text, deadline: deadline, maximumNodes: maximumNodes)
    }

    package static func parse(text: String, deadline: Duration = .seconds(5), maximumNodes: Int = 200_000) throws -> MarkupElement {
        MarkupElement(try HTMLTree.parse(text, deadline: deadline, maximumNodes: maximumNodes), 0)
    }

    /// The tree's depth is bounded by ``HTMLTree``, so this may recurse.
    private init(_ page: HTMLPage, _ node: Int) {
        tag = page.tag(node).rawValue
        let isText = page.tag(node) == .text
        text = isText ? page.wholeText(node) : ""
        attributes = isText ? [:] : page.attributeValues(node)
        // What scripts and styles hold is no text for people.
        children = isText || [.script, .style].contains(page.tag(node)) ? [] : page.children(node).map { MarkupElement(page, $0) }
    }

    /// Whether `class` holds this word.
    package func has(_ name: String) -> Bool {
        guard let names = attributes["class"], names.contains(name) else { return false }
        return names.split(whereSeparator: \.isWhitespace).contains { $0 == name }
    }

    /// Itself and what is below, in document order; nothing is looked for inside of elements that `stop` names, which are not looked at either.
    package func all(where condition: (MarkupElement) -> Bool, outside stop: (MarkupElement) -> Bool = { _ in false }) -> [MarkupElement] {
        var found: [MarkupElement] = []
        collect(into: &found, condition, stop)
        return found
    }

    private func collect(into found: inout [MarkupElement], _ condition: (MarkupElement) -> Bool, _ stop: (MarkupElement) -> Bool) {
        if condition(self) { found.append(self) }
        for child in children where stop(child) == false { child.collect(into: &found, condition, stop) }
    }

    package func first(where condition: (MarkupElement) -> Bool, outside stop: (MarkupElement) -> Bool = { _ in false }) -> MarkupElement? {
        if condition(self) { return self }
        for child in children where stop(child) == false {
            if let found = child.first(where: condition, outside: stop) { return found }
        }
        return nil
    }

    /// The text below in one line, without hidden characters; line breaks count as spaces.
    package var line: String {
        var text = ""
        append(to: &text)
        return Self.line(ofPlain: text)
    }

    /// The same for a text without markup.
    package static func line(ofPlain text: String) -> String {
        var hidden = 0
        // Control characters would be orders to a terminal.
        return VisibleText.clean(text, hidden: &hidden).split {
            $0.isWhitespace || $0.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        .joined(separator: " ")
    }

    private static let breaking: Set<String> = ["br", "p", "div", "li", "td", "th", "tr", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6"]

    private func append(to line: inout String) {
        if tag.isEmpty {
            line += text
            return
        }
        if Self.breaking.contains(tag) { line += " " }
        for child in children { child.append(to: &line) }
        if Self.breaking.contains(tag) { line += " " }
    }
}

extension HTMLPage {
    fileprivate func attributeValues(_ node: Int) -> [String: String] {
        let start = Int(nodes[node].start)
        var values: [String: String] = [:]
        for attribute in attributes[start..<start + Int(nodes[node].count)] {
            let from = Int(attribute.start)
            values[attribute.name.rawValue] = String(decoding: bytes[from..<from + Int(attribute.count)], as: UTF8.self)
        }
        return values
    }
}
