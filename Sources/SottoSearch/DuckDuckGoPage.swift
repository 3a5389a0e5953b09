internal import Foundation
internal import SottoPages
internal import SottoSearching

/// Reads the result pages of DuckDuckGo's two endpoints for browsers without scripts.
enum DuckDuckGoPage {
    /// `html.duckduckgo.com/html/`: one `div.result` a hit; its link is `a.result__a`, its snippet `.result__snippet`.
    static func html(_ root: MarkupElement, provider: ProviderID) -> ResultPage {
        var page = ResultPage(hits: [])
        let isBlock: (MarkupElement) -> Bool = { $0.has("result") || $0.has("web-result") }
        for block in root.all(where: isBlock) {
            // A block ends where the next begins, even where markup that was left open put it inside.
            guard let link = block.first(where: { $0.tag == "a" && $0.has("result__a") }, outside: isBlock) else { continue }
            if block.has("result--ad") || block.first(where: { $0.has("badge--ad") }, outside: isBlock) != nil {
                page.advertisements += 1
                continue
            }
            let snippet = block.first(where: { $0.has("result__snippet") }, outside: isBlock)
            let extras = block.first(where: { $0.has("result__extras__url") }, outside: isBlock)
            let date = extras?.all(where: { $0.tag == "span" }, outside: isBlock).lazy.compactMap { SearchDate.iso($0.line) }.first
            page.add(link, snippet: snippet?.line ?? "", date: date, provider: provider)
        }
        // An empty block says "No results."; the class cannot come from the query.
        if root.first(where: { $0.has("no-results") || $0.has("result--no-result") }) != nil { page.saysEmpty = true }
        return page
    }

    /// `lite.duckduckgo.com/lite/`: rows of a table; a hit begins with the row of its `a.result-link` and ends before the next one.
    static func lite(_ root: MarkupElement, provider: ProviderID) -> ResultPage {
        struct Open {
            var link: MarkupElement
            var snippet: String?
            var date: Date?
            var isSponsored: Bool
        }
        var page = ResultPage(hits: [])
        var open: Open?
        func close() {
            guard let found = open else { return }
            if found.isSponsored {
                page.advertisements += 1
            } else {
                page.add(found.link, snippet: found.snippet ?? "", date: found.date, provider: provider)
            }
            open = nil
        }
        let rows = root.all(where: { $0.tag == "tr" })
        for row in rows where row.children.contains(where: { $0.first(where: { $0.tag == "tr" }) != nil }) == false {
            if let link = row.first(where: { $0.tag == "a" && $0.has("result-link") }) {
                close()
                open = Open(link: link, isSponsored: row.has("result-sponsored"))
            }
            guard open != nil else { continue }
            if row.first(where: { $0.tag == "form" }) != nil {
                close()
                continue
            }
            if open?.snippet == nil, let snippet = row.first(where: { $0.has("result-snippet") }) { open?.snippet = snippet.line }
            if open?.date == nil, let stamp = row.first(where: { $0.has("timestamp") }) { open?.date = SearchDate.iso(stamp.line) }
        }
        close()
        // A cell of its own, with these words and no others: the query stands in the title and in the input fields only.
        let marks: Set<String> = ["no results.", "no results", "no more results.", "no more results"]
        if root.first(where: { $0.has("no-results") || ["td", "span"].contains($0.tag) && marks.contains($0.line.lowercased()) }) != nil {
            page.saysEmpty = true
        }
        return page
    }
}

extension ResultPage {
    fileprivate mutating func add(_ link: MarkupElement, snippet: String, date: Date?, provider: ProviderID) {
        let title = link.line
        switch DuckDuckGoLink(link.attributes["href"] ?? "") {
        case .advertisement: advertisements += 1
        case .end: saysEmpty = saysEmpty || title == "EOF"
        case .none: break
        case .page(let address):
            if title == "EOF", snippet.isEmpty {
                saysEmpty = true
            } else if title.isEmpty == false {
                hits.append(SearchHit(title: title, address: address, snippet: snippet, provider: provider, rank: hits.count + 1, date: date))
            }
        }
    }
}
