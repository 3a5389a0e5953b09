/// The elements that reading tells apart; every other is ``other``.
enum HTMLTag: String, CaseIterable {
    case text = "", document = "#document", other = "*"
    case a, abbr, address, area, article, aside, audio, b, base, blockquote, body, br, button, canvas, caption, center, cite, code, col, colgroup
    case dd, del, details, dfn, dialog, div, dl, dt, em, embed, fieldset, figcaption, figure, font, footer, form, frame, frameset
    case h1, h2, h3, h4, h5, h6, head, header, hgroup, hr, html, i, iframe, img, input, ins, kbd, label, legend, li, link, listing
    case main, map, mark, math, menu, meta, nav, noscript, object, ol, optgroup, option, p, picture, plaintext, pre, q, ruby, rp, rt
    case s, samp, script, search, section, select, small, span, strong, style, sub, summary, sup, svg, table, tbody, td, template, textarea
    case tfoot, th, thead, time, title, tr, u, ul, video, xmp
    // Feeds and other XML.
    case item, entry, description, content, channel, rss, feed, para, simpara

    private static let byName: [String: HTMLTag] = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    init(name: String) { self = Self.byName[name] ?? .other }

    /// Begins and ends a line of its own.
    var isBlock: Bool {
        switch self {
        case .address, .article, .aside, .blockquote, .body, .center, .dd, .details, .dialog, .div, .dl, .dt, .fieldset, .figcaption, .figure, .footer, .form, .h1, .h2,
            .h3, .h4, .h5, .h6, .header, .hgroup, .hr, .html, .legend, .li, .listing, .main, .nav, .ol, .p, .plaintext, .pre, .section, .summary, .table, .tbody, .td,
            .tfoot, .th, .thead, .tr, .ul, .xmp, .caption, .document, .item, .entry, .description, .content, .channel, .rss, .feed, .title, .para, .simpara, .menu, .search:
            true
        default: false
        }
    }

    /// Holds nothing that people read in the page's text.
    var isNeverText: Bool {
        switch self {
        case .script, .style, .noscript, .template, .head, .title, .meta, .link, .button, .select, .option, .optgroup, .input, .textarea, .iframe, .object, .embed, .canvas,
            .svg, .audio, .video, .dialog, .frame, .frameset, .area, .base, .col, .colgroup, .map, .rp, .rt:
            true
        default: false
        }
    }

    /// 1 to 6 for a heading.
    var headingLevel: Int? {
        switch self {
        case .h1: 1
        case .h2: 2
        case .h3: 3
        case .h4: 4
        case .h5: 5
        case .h6: 6
        default: nil
        }
    }
}

/// The attributes that are kept of a page.
enum HTMLAttribute: String, CaseIterable {
    case id, role, hidden, style, lang, colspan, rowspan, name, content, property, type, href, rel, datetime, itemprop, itemtype, bgcolor, color, src, value, media, action, title
    case classes = "class", ariaHidden = "aria-hidden", xmlLang = "xml:lang", httpEquiv = "http-equiv"

    private static let byName: [String: HTMLAttribute] = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    init?(name: String) {
        guard let found = Self.byName[name] else { return nil }
        self = found
    }
}
