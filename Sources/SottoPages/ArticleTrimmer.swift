internal import SottoDocument

/// Takes out of an article what its publisher put between and behind the paragraphs.
enum ArticleTrimmer {
    /// - Parameter links: The numbers of blocks that are links and nothing else.
    static func trim(_ blocks: [Block], links: Set<Int>) -> [Block] {
        var result: [Block] = []
        var index = 0
        while index < blocks.count {
            switch blocks[index] {
            case .heading(let level, let text) where isExtra(heading: text):
                // With it goes what it introduces: lists and short lines, never prose.
                index += 1
                while index < blocks.count, links.contains(index) || isShort(blocks[index], below: level) { index += 1 }
                continue
            case .paragraph(let text) where isExtra(heading: text):
                index += 1
                while index < blocks.count, links.contains(index) || isList(blocks[index]) { index += 1 }
                continue
            case .paragraph(let text) where isExtra(paragraph: text) || isDate(text) || (links.contains(index) && isInvitation(text)): break
            case .list(_, let items) where isExtra(items): break
            default: result.append(blocks[index])
            }
            index += 1
        }
        return result
    }

    private static func isList(_ block: Block) -> Bool {
        if case .list = block { true } else { false }
    }

    private static func isShort(_ block: Block, below level: Int) -> Bool {
        switch block {
        case .heading(let own, let text): own > level || isExtra(heading: text)
        case .paragraph(let text): text.utf8.count < 140
        case .list(_, let items): items.allSatisfy { $0.allSatisfy { isShort($0, below: 0) } }
        default: false
        }
    }

    /// A list that begins with such a heading.
    private static func isExtra(_ items: [[Block]]) -> Bool {
        switch items.first?.first {
        case .paragraph(let text), .heading(_, let text): isExtra(heading: text)
        default: false
        }
    }

    /// A line that is a date and nothing else.
    private static func isDate(_ text: String) -> Bool {
        text.utf8.count <= 48 && text.contains(where: \.isNumber) && CalendarDate.iso(text) != nil
    }

    /// A link by itself that calls the reader elsewhere: in capitals, or with such a verb.
    private static func isInvitation(_ text: String) -> Bool {
        guard text.utf8.count <= 200 else { return false }
        if text.contains(where: \.isLowercase) == false, text.contains(where: \.isUppercase) { return true }
        let lower = text.lowercased()
        return ["read ", "see ", "watch", "click ", "subscribe", "sign up", "more ", "also ", "related", "get ", "join ", "download ", "follow ", "share ", "lesen sie", "lee ", "lire "].contains { lower.hasPrefix($0) }
    }

    private static let headings = [
        "related", "related articles", "related stories", "related posts", "related news", "related content", "related topics", "related coverage", "read more", "read next", "more from", "more on this",
        "more stories", "more news", "share this", "share", "comments", "leave a comment", "leave a reply", "about the author", "recommended", "recommended for you", "you may also like",
        "you might also like", "you may like", "popular", "most popular", "most read", "trending", "trending now", "newsletter", "sign up", "subscribe", "follow us", "tags", "top stories", "latest news",
        "latest posts", "recent posts", "advertisement", "sponsored", "editor's picks", "editors' picks", "what to read next", "also read", "don't miss", "up next", "explore further", "topics", "keywords", "categories", "share this on whatsapp", "share on facebook", "related post", "read also", "see also on", "kommentare", "mehr zum thema",
        "lesen sie auch", "das könnte sie auch interessieren", "ähnliche artikel", "lire aussi", "à lire aussi", "commentaires", "sur le même sujet", "te puede interesar", "lea también", "comentarios",
        "noticias relacionadas", "leggi anche", "potrebbe interessarti", "czytaj także", "czytaj też", "zobacz także", "komentarze", "читайте также", "комментарии", "по теме",
    ]

    private static func plain(_ text: String) -> String {
        var view = text.lowercased()[...]
        while let last = view.last, last.isLetter == false && last.isNumber == false { view.removeLast() }
        while let first = view.first, first.isLetter == false && first.isNumber == false { view.removeFirst() }
        return String(view)
    }

    private static func isExtra(heading text: String) -> Bool {
        guard text.utf8.count <= 80 else { return false }
        let plain = plain(text)
        if plain.hasPrefix("more ") || plain.hasPrefix("more: "), plain.split(separator: " ").count <= 5, plain.hasSuffix("stories") || plain.hasSuffix("news") || plain.hasSuffix("articles") { return true }
        return headings.contains(plain) || plain.hasPrefix("more from ") || plain.hasPrefix("more on ") || plain.hasPrefix("related: ")
    }

    private static let lines: Set<String> = [
        "advertisement", "advertisements", "advert", "adverts", "continue reading the main story", "story continues below", "story continues below advertisement", "article continues below advertisement", "read more",
        "share", "share this", "share this article", "share this story", "related", "click here to reload", "print", "email", "sign up", "subscribe", "subscribe now", "sponsored", "loading", "promoted",
        "ad", "comments", "view comments", "show comments", "tweet", "pin it", "facebook", "twitter", "whatsapp", "linkedin", "copy link", "follow", "anzeige", "werbung", "publicité", "publicidad",
        "реклама", "reklama", "more", "next", "previous", "back to top", "skip advertisement", "supported by", "read full article", "listen to this article", "save for later", "most read",
    ]
    private static let leads = [
        "read more:", "read also:", "also read:", "read next:", "related:", "see also:", "more:", "recommended:", "watch:", "related story:", "related article:", "related stories:", "sign up for", "subscribe to our",
        "sign up to", "follow us on", "follow me on", "like us on facebook", "lesen sie auch:", "lesen sie auch", "mehr zum thema:", "lire aussi", "à lire aussi", "lea también:", "leggi anche:", "читайте также:", "czytaj także:",
        "czytaj też:", "click here to", "download our app", "get the latest", "filed under", "tagged", "tags:", "photo:", "image:", "picture:", "photograph:", "image credit", "photo credit", "photo by", "share this", "follow @", "related post:", "atenção: comentários", "don't miss:", "have a tip?", "like this article?", "if you enjoyed reading",
    ]

    private static func isExtra(paragraph text: String) -> Bool {
        guard text.utf8.count <= 160 else { return false }
        let lower = text.lowercased()
        return leads.contains { lower.hasPrefix($0) } || (text.utf8.count <= 60 && lines.contains(plain(text)))
    }
}
