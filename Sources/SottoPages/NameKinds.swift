/// What the words of an element's `class` and `id` say about it.
struct NameKinds: OptionSet {
    var rawValue: UInt16

    static let body = NameKinds(rawValue: 1 << 0)
    static let comments = NameKinds(rawValue: 1 << 1)
    /// Advertisements, links to other pages, invitations to share or subscribe, consent.
    static let extra = NameKinds(rawValue: 1 << 2)
    /// Navigation, where it is mostly links.
    static let navigation = NameKinds(rawValue: 1 << 3)
    /// Author, date, tags, captions.
    static let details = NameKinds(rawValue: 1 << 4)
    static let consent = NameKinds(rawValue: 1 << 5)
    /// Notes beside the text that belong to it.
    static let callout = NameKinds(rawValue: 1 << 6)
    static let caption = NameKinds(rawValue: 1 << 7)
    static let author = NameKinds(rawValue: 1 << 8)
    static let date = NameKinds(rawValue: 1 << 9)
    static let login = NameKinds(rawValue: 1 << 10)
    static let paywall = NameKinds(rawValue: 1 << 11)
    /// The sentences before an article's text.
    static let lead = NameKinds(rawValue: 1 << 12)

    private static let words: [String: NameKinds] = {
        var result: [String: NameKinds] = [:]
        func add(_ kinds: NameKinds, _ list: String) { for word in list.split(separator: " ") { result[String(word), default: []].formUnion(kinds) } }
        add(.comments, "comment comments commentlist disqus respond livefyre commenting coral usercomments discussion")
        add(.extra, """
            share sharing sharebar sharedaddy shares social socials sociable addthis addtoany jetpack-likes likes follow followus related recommend recommended recommendation \
            recommendations recommends recirc recirculation outbrain taboola zergnet revcontent morefrom morestories alsolike trending popular mostpopular mostread newsletter \
            newsletters subscribe subscription signup optin mailchimp mailmunch promo promos promoted promotion promobox sponsor sponsored sponsors ad ads adv advert adverts \
            advertisement advertisements advertising adsense adslot adbox adunit adcontainer banner banners dfp gpt skyscraper mpu popup interstitial teasers readmore readnext \
            upnext nextpost prevpost donate buynow affiliate rating ratings crosslinks crosspromo toolbar \
            yarpp jp-relatedposts readalso reklama werbung anzeige
            """)
        add([.extra, .consent], "cookie cookies consent gdpr ccpa onetrust didomi cookiebot cookieconsent cookielaw cookiebanner truste eupopup usercentrics quantcast")
        add(.navigation, """
            nav navbar navigation navigator menu menus submenu breadcrumb breadcrumbs crumbs sidebar footer header masthead toc docnav navheader navfooter sphinxsidebar pagination pager \
            paging pagenav navbox catlinks headerlink skip skiplink skipnav mw-jump-link topbar bottombar offcanvas hamburger sitemap language languages permalink links linklist \
            rail related-links listing carousel slider hub editsection mw-editsection jump noprint next prev previous tabs copyright
            """)
        add(.details, "byline bylines dateline timestamp pubdate postmeta entrymeta articlemeta postinfo metadata meta tags taglist tagged keywords topics categories category credit credits copyright disclaimer")
        add([.details, .author], "author authors byline writer")
        add([.details, .date], "date time published timestamp dateline pubdate updated posted")
        add(.caption, "caption captions imgcaption imagecaption wp-caption-text figcaption photocredit imagecredit")
        add(.callout, "note tip warning caution admonition callout hint alert infobox")
        add(.login, "login signin")
        add(.paywall, "paywall piano regwall meteredcontent subscriberonly subscribewall premiumwall")
        add(.lead, "lead lede intro introduction standfirst teaser excerpt summary deck dek abstract subtitle subheadline subheading bajada chapo chapeau vorspann anriss entradilla sapo ingress zajawka perex description")
        add(.body, "articlebody storybody entrycontent postcontent postbody articlecontent articletext storytext storycontent bodycopy bodytext contentbody newsbody textbody pagecontent maincontent mwparseroutput")
        return result
    }()

    /// Two words beside each other that mean more than each alone: by the first, then the second.
    private static let pairs: [String: [String: NameKinds]] = {
        var result: [String: [String: NameKinds]] = [:]
        func add(_ kinds: NameKinds, _ list: String) {
            for pair in list.split(separator: " ") {
                let words = pair.split(separator: "-").map(String.init)
                for (first, second) in zip(words, words.dropFirst()) { result[first, default: [:]][second, default: []].formUnion(words.count == 2 ? kinds : []) }
            }
        }
        add(.body, """
            article-body story-body entry-content post-content post-body article-content article-text story-text story-content body-copy body-text content-body news-body \
            article-main content-text page-content blog-content single-content post-text post-entry main-content rich-text parser-output td-post-content news-text article-wrapper \
            content-article entry-body markdown-body document-body text-body post-inner blog-post-content news-content content-main the-content
            """)
        add(.extra, """
            also-like read-more read-next up-next more-from more-stories more-news more-on most-read most-popular most-viewed latest-news top-stories latest-posts recent-posts \
            next-post prev-post post-navigation author-bio author-box author-info author-card about-author bio-box sign-up follow-us get-newsletter email-signup call-to \
            you-may see-also in-article-ad app-download jp-relatedposts similar-posts other-news post-tags tag-list topic-list entry-tags article-tags tags-list
            """)
        add(.comments, "comments-area comment-list fb-comments")
        add(.details, "post-meta entry-meta article-meta post-info article-info entry-footer post-footer article-footer story-meta meta-info post-details entry-header-meta")
        add(.caption, "wp-caption image-caption img-caption photo-caption media-caption photo-credit image-credit caption-text")
        add(.login, "sign-in log-in")
        return result
    }()

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// - Parameter known: Names seen before on the page; most repeat.
    init(of node: Int, in page: HTMLPage, known: inout [String: NameKinds]) {
        self.init(rawValue: 0)
        if let range = page.range(node, .classes) {
            if page.tag(node) == .article || page.tag(node) == .body || range.count > 80 {
                add(page.bytes[range], hasCategories: true)
            } else {
                let name = String(decoding: page.bytes[range], as: UTF8.self)
                if let found = known[name] {
                    self = found
                } else {
                    add(page.bytes[range], hasCategories: false)
                    known[name] = self
                }
            }
        }
        if let range = page.range(node, .id) { add(page.bytes[range], hasCategories: false) }
    }

    /// - Parameter hasCategories: A blog names an article's tags in its classes; those say nothing about the element.
    private mutating func add(_ bytes: ArraySlice<UInt8>, hasCategories: Bool) {
        var word: [UInt8] = []
        var last = ""
        var following: [String: NameKinds]?
        var index = bytes.startIndex
        var isPassedOver = false
        var isLower = false
        func close(_ kinds: inout NameKinds) {
            guard word.isEmpty == false else { return }
            let text = String(decoding: word, as: UTF8.self)
            word.removeAll(keepingCapacity: true)
            if isPassedOver == false {
                if let found = Self.words[text] { kinds.formUnion(found) }
                if let found = following?[text] { kinds.formUnion(found) }
                following = Self.pairs[text]
            }
            if hasCategories, last.isEmpty, ["tag", "category", "type", "format", "status", "tax", "topic"].contains(text) { isPassedOver = true }
            last = text
        }
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case 0x61...0x7A:
                word.append(byte)
                isLower = true
            case 0x41...0x5A:
                // "articleBody" is two words.
                if isLower { close(&self) }
                word.append(byte | 0x20)
                isLower = false
            case 0x80...: word.append(byte)
            default:
                if isPassedOver, byte <= 0x20 {
                    word.removeAll(keepingCapacity: true)
                }
                close(&self)
                isLower = false
                if byte <= 0x20 {
                    last = ""
                    following = nil
                    isPassedOver = false
                }
            }
            index += 1
        }
        close(&self)
    }
}
