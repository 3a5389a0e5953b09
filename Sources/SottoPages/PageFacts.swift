/// What a page says about itself: in its head, its linked data and its own byline.
struct PageFacts {
    var title = ""
    var language: String?
    var byline: String?
    /// As ISO 8601: a date, or a date and time.
    var published: String?
    var address: String?
    /// The publisher says that reading the whole costs something.
    var isPaid = false

    init(of page: HTMLPage, body: Int, content: MainContent?) {
        var meta: [String: String] = [:]
        var titles: [Int] = []
        var tops: [Int] = []
        var data: [UInt8] = []
        var canonical: String?
        /// The book or manual that the page is a part of.
        var work: String?
        var html: Int?
        var time: String?
        var bylines: [Int] = []
        var dates: [Int] = []
        var node = 1
        while node < page.nodes.count {
            let tag = page.tag(node)
            switch tag {
            case .html: if html == nil { html = node }
            case .meta:
                guard let key = page.value(node, .property) ?? page.value(node, .name) ?? page.value(node, .itemprop) ?? page.value(node, .httpEquiv),
                    let value = page.value(node, .content) else { break }
                if meta[key.lowercased()] == nil { meta[key.lowercased()] = value }
            case .title: if page.end(node) > node + 1 { titles.append(node) }
            case .h1: if content?.isLeftOut[node] != true || tops.isEmpty { tops.append(node) }
            case .link:
                let rel = page.value(node, .rel)?.lowercased()
                if canonical == nil, rel == "canonical" { canonical = page.value(node, .href) }
                if work == nil, rel == "home" || rel == "start" || rel == "top" { work = page.value(node, .title) }
            case .script: if data.count < 200_000 { for child in page.children(node) { data += page.bytes[page.textRange(child)] } }
            case .time: if time == nil, let value = page.value(node, .datetime) { time = value }
            case .text: break
            default:
                guard page.nodes[node].count > 0 else { break }
                if let property = page.value(node, .itemprop)?.lowercased() {
                    if property == "datepublished" { time = page.value(node, .content) ?? page.value(node, .datetime) ?? time }
                    if property == "author", bylines.count < 4 { bylines.insert(node, at: 0) }
                } else if page.value(node, .rel)?.lowercased() == "author" {
                    bylines.insert(node, at: 0)
                } else if let kinds = content?.nameKinds(node) {
                    if kinds.contains(.author), bylines.count < 4 { bylines.append(node) }
                    if kinds.contains(.date), dates.count < 6 { dates.append(node) }
                }
            }
            node += 1
        }
        title = Self.title(titles: titles, tops: tops, in: page, meta: meta)
        // "9.10. Backup" alone does not tell of which book; its navigation, which does, is not read.
        if let work = work.map({ VisibleText.line($0) }), work.count >= 3, work.count <= 120, title.isEmpty == false, title.contains(work) == false {
            title += " · " + work
        }
        language = Self.language(of: html, body: body, in: page, meta: meta)
        address = Self.absolute(canonical) ?? Self.absolute(meta["og:url"])
        let linked = LinkedData(data)
        isPaid = linked.isPaid
        let names = [meta["author"], meta["article:author"], meta["dc.creator"], meta["parsely-author"], linked.author] + bylines.map { page.line($0) }
        byline = names.lazy.compactMap { $0.flatMap(Self.name) }.first
        let stamps = [
            meta["article:published_time"], meta["datepublished"], meta["og:article:published_time"], linked.published, meta["date"], meta["dc.date"], meta["dcterms.date"],
            meta["dc.date.issued"], meta["pubdate"], meta["publishdate"], meta["parsely-pub-date"], meta["sailthru.date"], meta["citation_publication_date"], time,
        ] + dates.map { page.line($0) }
        published = stamps.lazy.compactMap { $0.flatMap(CalendarDate.iso) }.first
    }

    private static func title(titles: [Int], tops: [Int], in page: HTMLPage, meta: [String: String]) -> String {
        let title = titles.first.map { page.line($0) } ?? ""
        let tops = tops.lazy.map { page.line($0) }.filter { $0.isEmpty == false }
        // "Article – Site": the heading is the part that names the page.
        if let top = tops.first, top.count <= 300, title.isEmpty || (title.count > top.count && top.count >= 8 && title.contains(top)) { return top }
        return title.isEmpty ? VisibleText.line(meta["og:title"] ?? "") : title
    }

    private static func language(of html: Int?, body: Int, in page: HTMLPage, meta: [String: String]) -> String? {
        let tags = [html.flatMap { page.value($0, .lang) }, html.flatMap { page.value($0, .xmlLang) }, page.value(body, .lang), meta["content-language"]]
        for tag in tags {
            guard let tag = tag?.split(separator: ",").first.map({ $0.filter { $0.isWhitespace == false } }) else { continue }
            let parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" })
            if let first = parts.first, (2...3).contains(first.count), first.allSatisfy({ $0.isASCII && $0.isLetter }) {
                return ([first.lowercased()] + parts.dropFirst().map { $0.count == 2 ? $0.uppercased() : String($0) }).joined(separator: "-")
            }
        }
        return nil
    }

    private static func absolute(_ address: String?) -> String? {
        guard let address = address.map({ VisibleText.line($0) }), address.hasPrefix("https://") || address.hasPrefix("http://"),
            address.contains(" ") == false, address.utf8.count <= 2_000 else { return nil }
        return address
    }

    /// A person's or an organization's name out of a byline; `nil` for addresses and for anything too long.
    static func name(_ text: String) -> String? {
        var line = VisibleText.line(text).split(separator: "\n").first.map(String.init) ?? ""
        for lead in ["written by ", "posted by ", "by ", "von ", "par ", "por ", "di "] where line.lowercased().hasPrefix(lead) {
            line = String(line.dropFirst(lead.count))
            break
        }
        guard line.count >= 2, line.count <= 100, line.contains("://") == false, line.contains("@") == false || line.contains(" ") else { return nil }
        guard line.contains(where: \.isLetter), line.lowercased() != "admin" else { return nil }
        return line
    }
}

/// The few facts of a page's linked data (JSON-LD) that are used, found by their keys.
private struct LinkedData {
    var author: String?
    var published: String?
    var isPaid = false
    private let text: [UInt8]

    init(_ text: [UInt8]) {
        self.text = text
        guard text.isEmpty == false else { return }
        published = string("datePublished")
        if let place = place(of: "author") {
            if byte(place) == UInt8(ascii: "\"") { author = string(at: place) } else {
                author = self.place(of: "name", from: place, to: min(text.count, place + 600)).flatMap { string(at: $0) }
            }
        }
        if let place = place(of: "isAccessibleForFree") {
            let value = String(decoding: text[place..<min(text.count, place + 7)], as: UTF8.self).lowercased()
            isPaid = value.hasPrefix("false") || value.hasPrefix("\"false")
        }
    }

    private func byte(_ index: Int) -> UInt8? { index < text.count ? text[index] : nil }

    /// Where the value of the first such key begins.
    private func place(of key: String, from start: Int = 0, to end: Int? = nil) -> Int? {
        let mark = Array("\"\(key)\"".utf8)
        var index = start
        let end = (end ?? text.count) - mark.count
        while index < end {
            if text[index] == mark[0], text[index + 1] == mark[1], text[index..<index + mark.count].elementsEqual(mark) {
                var next = index + mark.count
                while let byte = byte(next), byte <= 0x20 || byte == UInt8(ascii: ":") { next += 1 }
                return next
            }
            index += 1
        }
        return nil
    }

    private func string(_ key: String) -> String? { place(of: key).flatMap { string(at: $0) } }

    private func string(at start: Int) -> String? {
        guard byte(start) == UInt8(ascii: "\"") else { return nil }
        var units: [UInt16] = []
        var raw: [UInt8] = []
        var result = ""
        func flush(_ raw: inout [UInt8], _ units: inout [UInt16]) {
            if units.isEmpty == false { result += String(decoding: units, as: UTF16.self) }
            if raw.isEmpty == false { result += String(decoding: raw, as: UTF8.self) }
            units = []
            raw = []
        }
        var index = start + 1
        while let next = byte(index), next != UInt8(ascii: "\""), index - start < 2_000 {
            if next == UInt8(ascii: "\\"), let kind = byte(index + 1) {
                if kind == UInt8(ascii: "u"), index + 6 <= text.count, let unit = UInt16(String(decoding: text[index + 2..<index + 6], as: UTF8.self), radix: 16) {
                    if raw.isEmpty == false { flush(&raw, &units) }
                    units.append(unit)
                    index += 6
                    continue
                }
                if units.isEmpty == false { flush(&raw, &units) }
                raw.append(kind == UInt8(ascii: "n") || kind == UInt8(ascii: "t") ? 0x20 : kind)
                index += 2
                continue
            }
            if units.isEmpty == false { flush(&raw, &units) }
            raw.append(next)
            index += 1
        }
        flush(&raw, &units)
        return result.isEmpty ? nil : result
    }
}
