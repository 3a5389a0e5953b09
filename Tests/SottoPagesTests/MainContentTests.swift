import Foundation
import SottoDocument
import SottoDocumentReading
import SottoPages
import Testing

/// Pages of our own making, each with the parts that publishers put around an article.
@Suite struct MainContentTests {
    private func read(_ text: String) async throws -> Document { try await PageReader().read(Array(text.utf8), name: "page.html") }
    private func page(_ text: String) async throws -> Document { try await PageReader().readPage(Array(text.utf8), address: "https://example.org/a", charset: nil) }
    private static let sentence = "The river rose by two meters in the night, and the people of the lower town carried their belongings to the church on the hill. "
    private static let prose = (1...6).map { "<p>Paragraph \($0). \(sentence)\(sentence)</p>" }.joined()

    @Test("a page of a book tells of which book, once", arguments: [
        ("<link rel=home href=i title='The Harbor Handbook'>", "9.10. Boats · The Harbor Handbook"), ("<link rel=home href=i>", "9.10. Boats"),
        ("<link rel=next href=i title='The Harbor Handbook'>", "9.10. Boats"), ("<link rel=home href=i title='Boats'>", "9.10. Boats"),
    ])
    func work(link: String, title: String) async throws {
        let document = try await read("<html><head><title>9.10. Boats</title>\(link)</head><body><h1>9.10. Boats</h1>\(Self.prose)</body></html>")
        #expect(document.title == title)
    }

    @Test("what stands around an article is left out", arguments: [
        "<ul class=docnav><li><a href=p>Prev</a></li><li>AROUND</li><li><a href=n>Next</a></li></ul>", "<div id=banner><a href=get>AROUND the ebook</a></div>",
        "<div class=cookie-consent><p>AROUND: we value your privacy and store things.</p><button>Accept all</button></div>", "<div class=share-bar><a href=f>AROUND</a> <a href=t>Tweet</a></div>",
        "<section id=comments><h2>Comments</h2><p>AROUND is what I think about this, said a reader who had much to say on this matter and said it.</p></section>",
        "<div class='related-articles'><h3>Related</h3><ul><li><a href=1>AROUND the world in a boat</a></li><li><a href=2>Another thing</a></li></ul></div>",
        "<aside><p>AROUND and about</p></aside>", "<footer><p>AROUND 2024, all rights</p></footer>", "<form action=/newsletter><p>AROUND your inbox</p><input name=mail></form>",
        "<h3>You may also like</h3><ul><li><a href=1>AROUND it</a></li><li><a href=2>This too</a></li></ul>", "<p>Read more: <a href=x>AROUND the bend</a></p>",
        "<figure><img src=a.jpg><figcaption>AROUND the church. Photo: A. Nobody</figcaption></figure>", "<div role=navigation><a href=x>AROUND</a></div>",
    ])
    func around(markup: String) async throws {
        for document in [
            try await read("<html><body><div class=page><article><h1>Flood</h1>\(Self.prose)\(markup)</article></div></body></html>"),
            try await read("<html><body>\(markup)<div class=story>\(Self.prose)</div></body></html>"),
        ] {
            #expect(document.plainText.contains("AROUND") == false)
            for number in 1...6 { #expect(document.plainText.contains("Paragraph \(number).")) }
        }
    }

    @Test("what belongs to the text stays", arguments: [
        "<details><summary>When?</summary><p>KEPT in a panel.</p></details>", "<dl><dt>Term</dt><dd>KEPT meaning</dd></dl>", "<table><tr><th>A</th><th>B</th></tr><tr><td>KEPT</td><td>2</td></tr></table>",
        "<pre><code>let kept = \"KEPT\"</code></pre>", "<div class=sidebar><p>NOTE. KEPT, a box with advice that is long enough to be read as text by people.</p></div>",
        "<aside class='note'><p>KEPT: mind the dog that lives in the house by the bridge.</p></aside>", "<blockquote>KEPT, he said.</blockquote>", "<p>The <span class=author>KEPT</span> is named inside the sentence.</p>",
        "<ul><li>KEPT one</li><li>two</li></ul>", "<ol><li>KEPT first</li></ol>", "<p class=date-of-event>It was the KEPT night, of which they speak to this day in the villages around, and which nobody forgets, nor what was lost in it, nor who.</p>",
    ])
    func inside(markup: String) async throws {
        let document = try await read("<html><body><nav><a href=x>Home</a></nav><main>\(Self.prose)\(markup)\(Self.prose)</main></body></html>")
        #expect(document.plainText.contains("KEPT"))
    }

    @Test("a long list of links is kept when it is the page")
    func listPage() async throws {
        let items = (1...80).map { "<li><a href=/\($0)>Package number \($0)</a>: does thing \($0)</li>" }.joined()
        let document = try await read("<html><body><nav><a href=x>Home</a></nav><h1>Packages</h1><ul>\(items)</ul><footer>Imprint</footer></body></html>")
        for number in 1...80 { #expect(document.plainText.contains("Package number \(number): does thing \(number)")) }
        #expect(document.plainText.contains("Imprint") == false)
    }

    @Test("closed panels are content: their newest list, their table with its cells apart")
    func panels() async throws {
        let panels = (1...12).map { number in
            "<details><summary>Release \(number)</summary><ul><li>Change \(number).1</li><li>Change \(number).2</li></ul><table><tr><th>File</th><th>Size</th></tr><tr><td>a\(number).zip</td><td>\(number) MB</td></tr></table></details>"
        }.joined()
        let document = try await read("<html><body><nav><a href=/>Home</a></nav><main><h1>Releases</h1><p>\(Self.sentence)</p>\(panels)</main></body></html>")
        for number in 1...12 {
            #expect(document.plainText.contains("Release \(number)"))
            #expect(document.plainText.contains("Change \(number).1") && document.plainText.contains("Change \(number).2"))
            #expect(document.markdown.contains("| a\(number).zip | \(number) MB |"))
        }
    }

    @Test("where what is marked as the article holds next to nothing, what people see is read")
    func fallback() async throws {
        let texts = (1...10).map { "<div class=c\($0)>Text \($0). \(Self.sentence)</div>" }.joined()
        let document = try await read("<html><body><article><h1>Flood</h1><p>In short.</p></article><div class=wrap>\(texts)</div></body></html>")
        for number in 1...10 { #expect(document.plainText.contains("Text \(number).")) }
    }

    @Test("several regions of text are all kept")
    func regions() async throws {
        let regions = (1...5).map { "<section class=region\($0)><h2>Region \($0)</h2><p>Text \($0). \(Self.sentence)</p><p>More \($0). \(Self.sentence)</p></section>" }.joined()
        let document = try await read("<html><body><header><a href=/>Logo</a></header><div class=a>\(regions)</div></body></html>")
        for number in 1...5 { #expect(document.plainText.contains("Text \(number).") && document.plainText.contains("More \(number).")) }
    }

    @Test("title, byline, date, language and address")
    func facts() async throws {
        let document = try await read("""
            <html lang=en-gb><head><title>Flood in the lower town – The Courier</title><link rel=canonical href="https://example.org/flood">
            <script type="application/ld+json">{"@type":"NewsArticle","author":{"@type":"Person","name":"Zo\\u00eb Marsh"},"datePublished":"2021-03-04T05:06:07+01:00"}</script></head>
            <body><article><h1>Flood in the lower town</h1>\(Self.prose)</article></body></html>
            """)
        #expect(document.title == "Flood in the lower town")
        #expect(document.byline == "Zoë Marsh")
        #expect(document.published == "2021-03-04T05:06:07+01:00")
        #expect(document.language == "en-GB")
        #expect(document.address == "https://example.org/flood")
    }

    @Test("a byline and a date that only people can read", arguments: [
        ("<p class=byline>By Ann Other</p><span class=date>November 20, 2019</span>", "Ann Other", "2019-11-20"), ("<a rel=author href=x>Jan Kowalski</a><time datetime=2020-01-02>2 stycznia</time>", "Jan Kowalski", "2020-01-02"),
        ("<div class=author-name>Von Eva Muster</div><div class=published>3. März 2018</div>", "Eva Muster", "2018-03-03"),
    ])
    func visibleFacts(markup: String, byline: String, date: String) async throws {
        let document = try await read("<html><body><article><h1>Flood in town</h1>\(markup)\(Self.prose)</article></body></html>")
        #expect(document.byline == byline)
        #expect(document.published == date)
    }

    @Test("pages that stand in the way are refused for what they are", arguments: [
        ("<title>Just a moment...</title><body><h1>example.org</h1><p>Checking your browser before accessing example.org.</p><div id=challenge-form></div></body>", DocumentReadingError.Code.challenge),
        ("<title>example</title><body><p>Please verify you are human to continue.</p><div class=g-recaptcha></div></body>", .challenge),
        ("<title>Example</title><body><div class=cookie-consent><h2>We value your privacy</h2><p>We and our partners store cookies on your device to show you advertising and measure it. You can change your choice at any time.</p><button>Accept all</button><button>Reject all</button></div></body>", .consentOnly),
        ("<title>Sign in - Example</title><body><form><p>Welcome back, please enter your name and the word that only you know.</p><input name=u><input type=password></form></body>", .loginRequired),
        ("<title>Flood</title><body><article><h1>Flood</h1><p>\(sentence)</p><div class=paywall><p>Subscribe to continue reading.</p></div></article></body>", .paywalled),
        ("<title>Flood</title><body><article><h1>Flood</h1><p>The river rose …</p><div class=paywall><h2>Subscribe to continue reading</h2><p>\(sentence.replacing("The river", with: "A subscription brings you everything that we write about how the river"))</p><p>Already a subscriber? <a href=/login>Sign in to your account</a> and go on where you were before.</p></div></article></body>", .paywalled),
        ("<title>example.org</title><body><p>Подтвердите, что запросы отправляли вы, а не программа.</p><script src=/captcha.js></script></body>", .challenge),
        ("<title>App</title><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div><script src=/a.js></script></body>", .clientRendered),
        ("<title>x</title><body><p>Hello there.</p></body>", .thin),
    ])
    func refused(markup: String, code: DocumentReadingError.Code) async throws {
        do {
            let document = try await page("<!doctype html><html><head>" + markup.replacing("<body>", with: "</head><body>") + "</html>")
            Issue.record("read as \(document.plainText)")
        } catch let error as DocumentReadingError {
            #expect(error.code == code, "\(error)")
            #expect(error.message.contains("https://example.org/a"))
        }
    }

    @Test("what is there to read is read, whatever stands beside it", arguments: [
        ("<title>Flood</title><body><article><h1>Flood</h1><p>\(sentence)\(sentence)</p><p>The mayor...</p><div class=paywall><p>Subscribe to continue reading.</p></div></article></body>", true),
        ("<title>Flood</title><body><article><h1>Flood</h1><p>\(sentence)</p><p>\(sentence)</p></article><div class=paywall-offer><p>Read as many articles as you like with a subscription.</p></div></body>", true),
        ("<title>Flood</title><body><article><h1>Flood</h1><p>\(sentence)\(sentence)</p></article><form class=comment><div class=g-recaptcha></div></form><script src=https://example.com/recaptcha/api.js></script></body>", nil),
    ])
    func read(markup: String, isPartial: Bool?) async throws {
        let document = try await page("<!doctype html><html><head>" + markup.replacing("<body>", with: "</head><body>") + "</html>")
        #expect(document.plainText.contains("The river rose"))
        #expect(document.isPartial == isPartial)
    }

    @Test("an article about such pages is an article", arguments: ["captcha and robots: verify you are human", "cookie consent, accept all cookies, your privacy", "how to sign in", "subscribe to continue reading"])
    func articles(topic: String) async throws {
        let document = try await page("<html><head><title>About \(topic)</title></head><body><article><h1>About \(topic)</h1>\(Self.prose)<p>They say: \(topic).</p>\(Self.prose)</article></body></html>")
        #expect(document.plainText.contains("Paragraph 6."))
    }

    @Test("a file on disk is never refused for being short")
    func files() async throws {
        #expect(try await read("<p>Hello there.</p>").plainText == "Hello there.")
    }

    @Test("large flat and deep pages take time in proportion to their size")
    func linear() async throws {
        func seconds(_ count: Int) async throws -> Double {
            let body = (0..<count).map { "<div class='a b\($0 % 50)'><p>Paragraph \($0). \(Self.sentence)</p><ul><li><a href=x>link</a></li></ul></div>" }.joined()
            let page = "<html><head><style>\((0..<200).map { ".a .b\($0) > .c\($0){display:none}" }.joined())</style></head><body>\(body)</body></html>"
            let clock = ContinuousClock()
            // The best of three: what other programs take makes a try longer, never shorter.
            var best = Double.infinity
            for _ in 0..<3 {
                let start = clock.now
                _ = try await read(page)
                best = min(best, (clock.now - start) / .seconds(1))
            }
            return best
        }
        let small = try await seconds(500)
        let large = try await seconds(4_000)
        #expect(large < 32 * small + 0.5, "8 times the page took \(large / small) times as long")
    }
}
