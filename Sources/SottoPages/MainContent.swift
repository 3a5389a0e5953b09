/// Finds the part of a page that its reader came for.
///
/// Three passes over the nodes: what stands around the content is left out by element, role and name; text that reads like prose gives weight to
/// the elements around it; from the body down, the way leads into the child that holds nearly all the weight. What an author marked as the text of an article
/// is believed when enough of the weight lies in it. Every pass is linear in the number of nodes.
struct MainContent {
    /// The elements to read, in document order.
    private(set) var roots: [Int] = []
    /// Elements that are not read, by node.
    private(set) var isLeftOut: [Bool]
    /// Visible text of the whole page and of the roots, in characters other than white space (CJK counts double).
    private(set) var visibleLength = 0
    private(set) var mainLength = 0
    /// Whether the page was read whole because no part of it stood out.
    private(set) var isWholePage = false

    private let page: HTMLPage
    private let top: Int
    private var kinds: [NameKinds]
    private var sums: [Sums]
    /// Weight of prose before anything was left out by name.
    private var rawWeight: [Float] = []

    private struct Sums {
        /// Visible characters, and those in links.
        var length: Int32 = 0
        var links: Int32 = 0
        /// The same in what was not left out.
        var kept: Int32 = 0
        var keptLinks: Int32 = 0
        /// Text that is not in a block further down.
        var own: Int32 = 0
        var ownLinks: Int32 = 0
        /// Of prose.
        var weight: Float = 0
    }

    init(of page: HTMLPage, body: Int, visibility: Visibility, isFragment: Bool = false) {
        self.page = page
        top = body
        isLeftOut = visibility.isHidden
        kinds = [NameKinds](repeating: [], count: page.nodes.count)
        sums = [Sums](repeating: Sums(), count: page.nodes.count)
        measureAll(body)
        visibleLength = Int(sums[body].length)
        guard isFragment == false else {
            roots = [body]
            mainLength = visibleLength
            leaveOutTags(body)
            return
        }
        weigh(body)
        rawWeight = sums.map(\.weight)
        leaveOut(body)
        weigh(body)
        choose(body)
    }

    // MARK: Sums

    private static func length(_ bytes: ArraySlice<UInt8>) -> Int32 {
        var result: Int32 = 0
        for byte in bytes where byte > 0x20 {
            if byte < 0x80 { result += 1 } else if byte >= 0xE3, byte < 0xF0 { result += 2 } else if byte >= 0xC0 { result += 1 }
        }
        return result
    }

    /// Length and links of all that can be seen.
    private mutating func measureAll(_ body: Int) {
        var known: [String: NameKinds] = [:]
        var node = body
        let end = page.end(body)
        while node < end {
            let tag = page.tag(node)
            if tag == .text {
                sums[node].length = Self.length(page.bytes[page.textRange(node)])
            } else if isLeftOut[node] || (tag.isNeverText && node != body) {
                isLeftOut[node] = true
                node = page.end(node)
                continue
            } else if page.nodes[node].count > 0 {
                kinds[node] = NameKinds(of: node, in: page, known: &known)
            }
            node += 1
        }
        for node in stride(from: end - 1, to: body, by: -1) {
            let parent = page.parent(node)
            if page.tag(node) == .a { sums[node].links = sums[node].length }
            sums[parent].length += sums[node].length
            sums[parent].links += sums[node].links
        }
    }

    // MARK: What stands around

    private mutating func leaveOutTags(_ body: Int) {
        for node in (body + 1)..<max(body + 1, page.end(body)) where page.tag(node) == .nav || page.tag(node) == .footer { isLeftOut[node] = true }
    }

    private mutating func leaveOut(_ body: Int) {
        let total = Float(max(1, sums[body].length))
        var node = body + 1
        let end = page.end(body)
        while node < end {
            if page.tag(node) == .text {
                node += 1
            } else if isLeftOut[node] || isAround(node, total: total) {
                isLeftOut[node] = true
                node = page.end(node)
            } else {
                node += 1
            }
        }
    }

    private func isAround(_ node: Int, total: Float) -> Bool {
        let length = Float(sums[node].length)
        guard length > 0 else { return false }
        let share = length / total
        let links = Float(sums[node].links) / length
        let names = kinds[node]
        switch page.tag(node) {
        case .nav: return share < 0.6
        case .aside: return share < 0.4 && (names.contains(.callout) == false || links > 0.5)
        case .footer: return share < 0.4
        case .menu: return links > 0.5
        case .form: return share < 0.4
        case .header:
            // A page's header is left out; an article's may hold its heading.
            if share < 0.3, isInsideContent(node) == false { return true }
        case .search: return true
        case .figcaption: return isCaptionOfPicture(node)
        default: break
        }
        if let role = page.value(node, .role) {
            switch role.lowercased() {
            case "navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog", "complementary", "tooltip", "toolbar", "tablist", "alert":
                if share < 0.4 { return true }
            default: break
            }
        }
        guard names.isEmpty == false, names.contains(.body) == false else { return false }
        // No name makes the bulk of the prose an extra.
        if rawWeight[node] > (names.contains(.comments) ? 0.8 : 0.4) * rawWeight[top], rawWeight[node] > 200 { return false }
        if names.contains(.comments), share < 0.7, length > 0 { return isInline(node) == false }
        if names.contains(.extra), links < 0.5, page.first(in: node, where: { page.tag($0) == .blockquote && isLeftOut[$0] == false }) != nil { return false }
        if names.contains(.extra), share < 0.35 { return isInline(node) == false || links > 0.3 }
        if names.contains(.navigation), share < 0.5, links > 0.5 || length < 12 { return isInline(node) == false || links > 0.9 }
        if names.contains(.caption), length < 400 { return isInline(node) == false || page.tag(page.parent(node)) != .p }
        if names.contains(.details), length < (page.tag(node) == .p ? 70 : 120), share < 0.2 { return isInline(node) == false && page.tag(node).headingLevel == nil }
        return false
    }

    private func isInsideContent(_ node: Int) -> Bool {
        var parent = page.parent(node)
        while parent > 0 {
            if page.tag(parent) == .article || page.tag(parent) == .main { return true }
            parent = page.parent(parent)
        }
        return false
    }

    /// Words inside a sentence are never left out for the name of their element.
    private func isInline(_ node: Int) -> Bool {
        guard page.tag(node).isBlock == false else { return false }
        switch page.tag(page.parent(node)) {
        case .p, .li, .td, .th, .dd, .dt, .pre, .code, .h1, .h2, .h3, .h4, .h5, .h6, .blockquote, .em, .strong, .b, .i, .para: return true
        default: return false
        }
    }

    private func isCaptionOfPicture(_ node: Int) -> Bool {
        let figure = page.parent(node)
        return page.first(in: figure) { [.table, .pre, .blockquote, .code].contains(page.tag($0)) && isLeftOut[$0] == false } == nil
    }

    // MARK: Prose

    private mutating func weigh(_ body: Int) {
        let end = page.end(body)
        var node = body
        for index in node..<end { sums[index] = Sums(length: sums[index].length, links: sums[index].links) }
        while node < end {
            if page.tag(node) == .text {
                sums[node].kept = sums[node].length
                sums[node].own = sums[node].length
            } else if isLeftOut[node] {
                node = page.end(node)
                continue
            }
            node += 1
        }
        for node in stride(from: end - 1, through: body, by: -1) {
            let tag = page.tag(node)
            if tag == .a {
                sums[node].keptLinks = sums[node].kept
                sums[node].ownLinks = sums[node].own
            }
            if tag.isBlock { sums[node].weight += weight(of: node) }
            guard node > body else { break }
            let parent = page.parent(node)
            sums[parent].kept += sums[node].kept
            sums[parent].keptLinks += sums[node].keptLinks
            sums[parent].weight += tag == .a ? 0 : sums[node].weight
            if tag.isBlock == false {
                sums[parent].own += sums[node].own
                sums[parent].ownLinks += sums[node].ownLinks
            }
        }
    }

    /// Long text with few links weighs most; headings and short lines weigh nothing.
    private func weight(of node: Int) -> Float {
        let own = Float(sums[node].own), links = Float(sums[node].ownLinks)
        guard own > 0, page.tag(node).headingLevel == nil else { return 0 }
        let prose = own - 2 * links
        guard prose > 0 else { return 0 }
        let factor: Float = switch page.tag(node) {
        case .p, .blockquote, .pre, .para: 1
        case .li, .dd, .td, .th: prose > 120 ? 0.8 : 0.4
        case .dt, .figcaption, .caption, .summary: 0.3
        default: prose > 80 ? 0.9 : 0.4
        }
        return prose * factor * (prose < 40 ? 0.2 : prose < 80 ? 0.6 : 1)
    }

    // MARK: The choice

    private mutating func choose(_ body: Int) {
        let total = sums[body].weight
        guard total > 0 else {
            wholePage(body)
            return
        }
        var path = [body]
        var node = body
        while let best = heaviestChild(node), page.tag(best).isBlock || page.tag(best) == .other || page.tag(best) == .span {
            guard sums[best].weight >= 0.9 * sums[node].weight, isParagraph(best) == false else { break }
            node = best
            path.append(node)
        }
        let marked = markedContent(below: node, around: path)
        let main = marked ?? narrowed(node)
        roots = [main]
        if marked == nil || page.tag(main) != .main { join(main) }
        mainLength = roots.reduce(0) { $0 + Int(sums[$1].kept) }
        // Too little of the prose: the page has several regions, or none.
        let weight = roots.reduce(0) { $0 + sums[$1].weight }
        if weight < 0.35 * total, Float(mainLength) < 0.35 * Float(max(1, sums[body].kept)) || mainLength < 250 {
            roots = [node]
            mainLength = Int(sums[node].kept)
        }
        if mainLength < 100, Int(sums[body].kept) > mainLength { wholePage(body) }
    }

    private mutating func wholePage(_ body: Int) {
        roots = [body]
        mainLength = Int(sums[body].kept)
        isWholePage = true
        guard mainLength < 60, visibleLength > mainLength else { return }
        // Nothing is left: what was left out by name is the page. Only what is never text stays out.
        for node in body..<page.end(body) where page.tag(node) != .text && isLeftOut[node] && page.tag(node).isNeverText == false && sums[node].length > 0 {
            switch page.tag(node) {
            case .nav, .footer, .header, .form, .menu: continue
            default: isLeftOut[node] = kinds[node].contains(.consent)
            }
        }
        mainLength = visibleLength
    }

    private func heaviestChild(_ node: Int) -> Int? {
        var best: Int?
        var child = node + 1
        let end = page.end(node)
        while child < end {
            if isLeftOut[child] == false, page.tag(child) != .text, sums[child].weight > (best.map { sums[$0].weight } ?? 0) { best = child }
            child = page.end(child)
        }
        return best
    }

    private func isParagraph(_ node: Int) -> Bool {
        switch page.tag(node) {
        case .p, .li, .ul, .ol, .dl, .pre, .blockquote, .tr, .td, .tbody, .table, .dd, .dt: sums[node].own > 0 || page.tag(node) == .p || page.tag(node) == .ul || page.tag(node) == .ol
        default: false
        }
    }

    /// How clearly an author marked an element as the content: 0 not at all.
    private func mark(_ node: Int) -> Int {
        if let property = page.value(node, .itemprop)?.lowercased(), property.contains("articlebody") || property == "text" { return 5 }
        if kinds[node].contains(.body) { return 4 }
        if page.tag(node) == .article { return 3 }
        if page.tag(node) == .main || page.value(node, .role)?.lowercased() == "main" { return 2 }
        return 0
    }

    private func markedContent(below top: Int, around path: [Int]) -> Int? {
        var best: (node: Int, mark: Int, weight: Float)?
        var found: [(node: Int, mark: Int)] = []
        let whole = sums[top].weight
        var node = top
        let end = page.end(top)
        while node < end {
            if page.tag(node) == .text {
                node += 1
                continue
            }
            if isLeftOut[node] || sums[node].weight < 0.1 * whole {
                node = page.end(node)
                continue
            }
            let mark = mark(node)
            if mark > 0 { found.append((node, mark)) }
            if mark > 0, sums[node].weight >= (mark == 5 ? 0.15 : mark == 4 ? 0.3 : 0.4) * whole, mark > (best?.mark ?? 0) || (mark == best?.mark && sums[node].weight >= 0.9 * (best?.weight ?? 0)) {
                best = (node, mark, sums[node].weight)
            }
            node += 1
        }
        guard let best else { return nil }
        // An article cut into pieces, each marked: what holds them all.
        let pieces = found.filter { $0.mark == best.mark && best.mark >= 4 && ($0.node >= page.end(best.node) || page.end($0.node) <= best.node) }
        guard let last = pieces.last, let first = pieces.first else { return best.node }
        var common = best.node
        while common > 0, common > first.node || page.end(common) < page.end(last.node) { common = page.parent(common) }
        return common
    }

    /// One more step down where one child holds most of the weight and the rest is other pages' teasers.
    private func narrowed(_ node: Int) -> Int {
        var node = node
        while let best = heaviestChild(node), isParagraph(best) == false, sums[best].weight >= 0.6 * sums[node].weight {
            let rest = Float(sums[node].kept - sums[best].kept)
            let restLinks = Float(sums[node].keptLinks - sums[best].keptLinks)
            guard sums[best].weight >= 0.9 * sums[node].weight || restLinks > 0.3 * rest else { break }
            node = best
        }
        return node
    }

    /// Takes in neighbors that carry on the text, and what its author calls the lead, wherever in the article it stands before the text.
    private mutating func join(_ main: Int) {
        let parent = page.parent(main)
        guard page.tag(main) != .body, parent > 0 else { return }
        let heading = sums[main].weight
        var result: [Int] = []
        for child in page.children(parent) {
            if child == main {
                result.append(child)
                continue
            }
            guard page.tag(child) != .text, isLeftOut[child] == false, sums[child].kept > 0 else { continue }
            let links = Float(sums[child].keptLinks) / Float(sums[child].kept)
            let isProse = sums[child].weight > 60 && links < 0.2 && (isParagraph(child) || sums[child].weight > 0.05 * heading)
            if isProse || (page.tag(child).headingLevel != nil && child < main && links < 0.3) { result.append(child) }
        }
        var outer = parent
        var steps = 0
        while outer > 0, outer != top, steps < 4, page.tag(outer) != .article, page.tag(outer) != .main {
            outer = page.parent(outer)
            steps += 1
        }
        if outer != top, page.tag(outer) == .article || page.tag(outer) == .main {
            var node = outer + 1
            while node < main {
                if page.end(node) > main {
                    node += 1
                } else if isLeftOut[node] || page.tag(node) == .text {
                    node = page.end(node)
                } else if isLead(node) {
                    if result.contains(where: { $0 <= node && page.end($0) > node }) == false { result.append(node) }
                    node = page.end(node)
                } else {
                    node += 1
                }
            }
        }
        roots = result.sorted()
    }

    private func isLead(_ node: Int) -> Bool {
        guard kinds[node].contains(.lead) || page.value(node, .itemprop)?.lowercased() == "description" else { return false }
        let kept = sums[node].kept
        return kept >= 50 && kept < 800 && sums[node].keptLinks * 5 < kept && page.tag(node) != .h1
    }

    // MARK: Inside the content

    /// Whether a block inside the content is links to elsewhere.
    func isLinkBlock(_ node: Int) -> Bool {
        guard isWholePage == false, sums[node].kept > 0 else { return false }
        let links = Float(sums[node].keptLinks) / Float(sums[node].kept)
        let share = Float(sums[node].kept) / Float(max(1, mainLength))
        switch page.tag(node) {
        case .ul, .ol, .div, .section, .table, .dl: return links > 0.8 && share < 0.25 && isArticle
        default: return false
        }
    }

    /// Prose makes up most of it: an article, not a list or a reference.
    var isArticle: Bool {
        let weight = roots.reduce(0) { $0 + sums[$1].weight }
        return weight > 300 && weight > 0.5 * Float(mainLength)
    }

    func isMostlyLinks(_ node: Int) -> Bool { Float(sums[node].keptLinks) > 0.6 * Float(max(1, sums[node].kept)) }
    func nameKinds(_ node: Int) -> NameKinds { kinds[node] }
}
