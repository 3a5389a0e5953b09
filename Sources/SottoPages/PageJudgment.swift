internal import SottoDocument
internal import SottoDocumentReading

/// Tells pages that stand in the way of the content from the content.
enum PageJudgment {
    /// - Returns: Why the page is none; `nil` when it is one.
    static func refusal(of reading: HTMLReader.Reading, text: String, address: String) -> DocumentReadingError? {
        let length = text.utf8.count
        let signs = Signs(of: reading, text: text)
        func error(_ code: DocumentReadingError.Code, _ message: String) -> DocumentReadingError { DocumentReadingError(code, "\(address) " + message) }
        if signs.isChallenge, length < 1_200 {
            return error(.challenge, "shows a test for robots instead of its content; open it in a browser, or use another source")
        }
        if signs.isConsent, length < 1_500 {
            return error(.consentOnly, "shows only a question about cookies or privacy; open it in a browser, or use another source")
        }
        if signs.isLogin, length < 1_500 {
            return error(.loginRequired, "asks to sign in; open it in a browser where you are signed in, or use another source")
        }
        // Where a beginning is there to read, it is read for what it is.
        if signs.isPaywall, length < 1_000, prose(of: reading.document.blocks, besides: offers) < leastProse {
            return error(.paywalled, "shows only the beginning to readers who have not paid; use another source, or save the page from your own subscription")
        }
        if length < 250, signs.isShell {
            return error(.clientRendered, "is built by scripts in the browser and holds no text of its own; use another source, or save the page from a browser")
        }
        if length < 140 { return error(.thin, "holds only \(length) bytes of text, too little to be a source") }
        return nil
    }

    /// The least that is worth reading of a page whose rest is held back, in bytes: two sentences.
    private static let leastProse = 200

    /// How much there is in sentences, in bytes, but for those with one of the `marks`.
    private static func prose(of blocks: [Block], besides marks: [String]) -> Int {
        blocks.reduce(0) { sum, block in
            switch block {
            case .paragraph(let text):
                let lower = text.lowercased()
                return sum + (text.utf8.count >= 60 && marks.contains { lower.contains($0) } == false ? text.utf8.count : 0)
            case .quote(let blocks), .definition(_, let blocks): return sum + prose(of: blocks, besides: marks)
            case .list(_, let items): return sum + items.reduce(0) { $0 + prose(of: $1, besides: marks) }
            case .heading, .table, .code: return sum
            }
        }
    }

    /// What sentences hold that offer the rest for money or a name.
    private static let offers = ["subscri", "sign in", "sign up", "log in", "register", "free trial", "abonn", "suscri", "anmelden", "weiterlesen", "premium", "unlock"]
    /// What sentences hold that stand before a test for robots.
    private static let tests = ["captcha", "robot", "human", "javascript", "cookies", "browser", "security", "verif", "unusual traffic"]

    /// Whether only the beginning of a longer text is there.
    static func isPartial(_ reading: HTMLReader.Reading, text: String) -> Bool {
        Signs(of: reading, text: text).isPaywall
    }

    private struct Signs {
        var isChallenge = false
        var isConsent = false
        var isLogin = false
        var isPaywall = false
        var isShell = false

        init(of reading: HTMLReader.Reading, text: String) {
            let page = reading.page
            var whole: [UInt8] = []
            var script = 0
            var hasPassword = false, hasEmptyRoot = false, asksForScripts = false, hasPaywall = false, hasTest = false
            var consentLength = 0
            var next = 0
            while next < page.nodes.count {
                let node = next
                next = page.tag(node) == .script || page.tag(node) == .style ? page.end(node) : node + 1
                switch page.tag(node) {
                case .text:
                    // All that is on the page, notices that were left out of the content too.
                    if whole.count < 20_000 { whole += page.bytes[page.textRange(node)] + [0x20] }
                case .script:
                    script += 1
                    if let source = page.value(node, .src)?.lowercased(), source.contains("captcha") || source.contains("/cdn-cgi/challenge") || source.contains("challenges.cloudflare") { hasTest = true }
                case .input: if page.value(node, .type)?.lowercased() == "password" { hasPassword = true }
                case .noscript: if page.wholeText(node).lowercased().contains("javascript") { asksForScripts = true }
                default:
                    if let id = page.value(node, .id)?.lowercased() {
                        if ["root", "app", "__next", "__nuxt", "app-root", "react-root", "main-app", "svelte"].contains(id), page.length(node) < 20 { hasEmptyRoot = true }
                        if ["challenge-form", "cf-wrapper", "px-captcha", "challenge-stage", "challenge-running", "cf-please-wait", "anomaly-modal"].contains(where: { id.contains($0) }) { hasTest = true }
                    }
                    let kinds = reading.content.nameKinds(node)
                    if kinds.contains(.paywall), page.length(node) > 10 { hasPaywall = true }
                    if kinds.contains(.consent), kinds.contains(.body) == false { consentLength = max(consentLength, page.length(node)) }
                }
            }
            let lower = VisibleText.line(String(decoding: whole, as: UTF8.self)).lowercased().replacing("’", with: "'")
            let title = reading.document.title.lowercased()
            let plain = Array(lower.utf8)
            func says(_ marks: [String]) -> Bool { marks.contains { Self.holds(plain, Array($0.utf8)) } }
            // Of a long text only its beginning can be in question.
            let isLong = text.utf8.count >= 2_500
            // A form for comments may hold a test as well, below a text.
            isChallenge = (hasTest && text.utf8.count < 700 && prose(of: reading.document.blocks, besides: tests) < leastProse) || ["just a moment", "attention required", "access denied", "security check", "robot check", "are you a robot", "pardon our interruption", "bot verification", "ddos-guard", "human verification"]
                .contains { title.hasPrefix($0) } || isLong == false && says([
                    "verify you are human", "verifying you are human", "verify that you are human", "confirm you are human", "are you a robot", "you are not a robot", "you're not a robot", "i'm not a robot",
                    "unusual traffic from your", "checking your browser before", "checking if the site connection is secure", "enable javascript and cookies to continue", "complete the security check",
                    "press & hold to confirm", "complete the following challenge", "ddos protection by", "incapsula incident", "confirm this search was made by a human", "bots use duckduckgo too",
                    "automated access to", "please solve this captcha", "solve the captcha", "complete the captcha",
                ])
            let asks = isLong == false && says(["accept all", "i agree", "accept cookies", "alle akzeptieren", "tout accepter", "aceptar", "accetta", "zustimmen", "agree and continue", "manage options", "reject all", "accept and continue"])
            let speaksOfIt = asks && says(["cookie", "your privacy", "datenschutz", "personal data", "vie privée", "privacidad", "partners store"])
            let main = reading.content.mainLength
            isConsent = asks && speaksOfIt && (consentLength * 2 > max(1, reading.content.visibleLength) || main < 400 || ["before you continue", "we value your privacy", "your privacy choices", "cookie consent"].contains { lower.contains($0) } && main < 900)
            let isNamedLogin = ["sign in", "log in", "login", "anmelden", "connexion", "iniciar sesión", "signin"].contains { title.hasPrefix($0) || title.hasSuffix($0) }
            isLogin = (hasPassword && text.utf8.count < 250) || (isNamedLogin && text.utf8.count < 600) || (text.utf8.count < 350 && says(["you must log in to", "please log in to continue", "please sign in to continue", "log in to view", "sign in to view", "you must be logged in", "login required"]))
            isPaywall = (hasPaywall && text.utf8.count < 500) || (reading.facts.isPaid && text.utf8.count < 1_000) || says([
                "subscribe to continue reading", "subscribe to read", "to continue reading this article", "to continue reading, ", "this article is for subscribers", "this content is for subscribers", "for subscribers only",
                "exclusive to subscribers", "this article is exclusive to", "create a free account to continue", "you have reached your article limit",
                "you've reached your limit of free articles", "start your free trial to read", "unlock this article", "article réservé aux abonnés", "réservé à nos abonnés", "contenido exclusivo para suscriptores",
                "nur für abonnenten", "weiterlesen mit", "jetzt weiterlesen", "artykuł dostępny tylko dla", "become a member to read", "member-only story",
            ])
            isShell = hasEmptyRoot || asksForScripts || script >= 3 || isLong == false && says(["enable javascript", "javascript is disabled", "javascript is required", "requires javascript", "turn on javascript"])
        }

        private static func holds(_ text: [UInt8], _ mark: [UInt8]) -> Bool {
            guard let first = mark.first, text.count >= mark.count else { return false }
            for start in 0...(text.count - mark.count) where text[start] == first && text[start..<start + mark.count].elementsEqual(mark) { return true }
            return false
        }
    }
}
