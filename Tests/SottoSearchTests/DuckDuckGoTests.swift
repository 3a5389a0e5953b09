import SottoFetching
import SottoSearching
import Testing

@testable import SottoSearch

@Suite struct DuckDuckGoTests {
    private func html(_ body: String, query: String = "x", status: Int = 200) throws -> SearchOutcome {
        try DuckDuckGo.read(
            response("<html><body>\(body)</body></html>", status: status), endpoint: .html, query: SearchQuery(query), provider: "duckduckgo")
    }

    private func lite(_ body: String, query: String = "x") throws -> SearchOutcome {
        try DuckDuckGo.read(response("<html><body>\(body)</body></html>"), endpoint: .lite, query: SearchQuery(query), provider: "duckduckgo-lite")
    }

    private func block(_ title: String, _ address: String, _ snippet: String?, classes: String = "") -> String {
        """
        <div class="result results_links web-result \(classes)"><h2 class="result__title"><a class="result__a" href="\(address)">\(title)</a></h2>
        \(snippet.map { "<a class=\"result__snippet\" href=\"\(address)\">\($0)</a>" } ?? "")</div>
        """
    }

    @Test(
        "links lead where they say",
        arguments: [
            ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d&rut=1", "https://example.com/a?b=c&d"),
            ("https://duckduckgo.com/l/?kh=-1&uddg=https%3A%2F%2Fexample.com%2F100%2525", "https://example.com/100%25"),
            ("/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fl%2F%3Fuddg%3Dhttps%253A%252F%252Fexample.com%252F", "https://example.com/"),
            ("https://example.com/plain", "https://example.com/plain"),
            ("https://duckduckgo.com/about", "https://duckduckgo.com/about"),
        ])
    func unwraps(link: String, address: String) { #expect(DuckDuckGoLink(link) == .page(address)) }

    @Test(
        "advertisements are known behind any wrapping",
        arguments: [
            "https://duckduckgo.com/y.js?ad_domain=shop.example&u3=https%3A%2F%2Fshop.example",
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_provider%3Dbing",
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.bing.com%2Faclick%3Fld%3De8",
            "https://www.googleadservices.com/pagead/aclk?sa=L",
        ])
    func advertisements(link: String) { #expect(DuckDuckGoLink(link) == .advertisement) }

    @Test(
        "what is no web address is no page",
        arguments: [
            "", "javascript:alert(1)", "//duckduckgo.com/l/?rut=1", "//duckduckgo.com/l/?uddg=javascript%3Aalert(1)",
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fuser%3Apw%40example.com",
            "//duckduckgo.com/l/?uddg=%zz", "ftp://example.com/", "https://", "//duckduckgo.com/l/?uddg=file%3A%2F%2F%2Fetc%2Fpasswd",
        ])
    func noPages(link: String) { #expect(DuckDuckGoLink(link) == .none) }

    @Test("a snippet stays with its own hit")
    func snippets() throws {
        let page =
            block("One", "https://one.example/", nil) + block("Two", "https://two.example/", "Of two.")
            + block("Three", "https://three.example/", nil)
        #expect(try html(page).hits.map(\.snippet) == ["", "Of two.", ""])
        // The first block is left open, so the second one lies inside of it.
        let open =
            "<div class=\"result\"><a class=\"result__a\" href=\"https://one.example/\">One</a>" + block("Two", "https://two.example/", "Of two.")
            + "</div>"
        #expect(try html(open).hits.map(\.snippet) == ["", "Of two."])
        let rows = """
            <table><tr><td><a class='result-link' href='https://one.example/'>One</a></td></tr><tr><td class='link-text'>one.example</td></tr>
            <tr><td><a class='result-link' href='https://two.example/'>Two</a></td></tr><tr><td class='result-snippet'>Of two.</td></tr></table>
            """
        #expect(try lite(rows).hits.map(\.snippet) == ["", "Of two."])
    }

    @Test("advertisements and the false last result are no hits, and ranks count hits only")
    func onlyHits() throws {
        let page =
            block("Buy", "https://shop.example/", "Buy now", classes: "result--ad") + block("One", "https://one.example/", "Of one.")
            + block("Buy", "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dx", "Buy now")
            + block("Two", "https://two.example/", "Of two.")
            + block("EOF", "http://www.google.com/search?hl=en&q=x", nil)
        #expect(try html(page).hits.map(\.title) == ["One", "Two"])
        #expect(try html(page).hits.map(\.rank) == [1, 2])
        #expect(try html(block("EOF", "http://www.google.com/search?hl=en&q=x", nil)) == .empty)
        #expect(try html(block("Buy", "https://shop.example/", "Buy", classes: "result--ad")).kind == .unrecognized)
        let sponsored = """
            <table><tr class="result-sponsored"><td><a class="result-link" href="https://shop.example/">Buy</a></td></tr><tr><td class="result-snippet">Buy now</td></tr>
            <tr><td><a class="result-link" href="https://one.example/">One</a></td></tr><tr><td class="result-snippet">Of one.</td></tr></table>
            """
        #expect(try lite(sponsored).hits.map(\.title) == ["One"])
        #expect(try lite(sponsored).hits.map(\.snippet) == ["Of one."])
    }

    @Test("nothing found needs the page's own mark")
    func empty() throws {
        #expect(try html("<div class='result result--no-result'><div class='no-results'>No results.</div></div>") == .empty)
        #expect(try lite("<table><tr><td>No results.</td></tr></table>") == .empty)
        #expect(try html("").kind == .unrecognized)
        #expect(try html("<p>No results.</p>").kind == .unrecognized)
        #expect(try lite("<table><tr><td>There are No results. here</td></tr></table>").kind == .unrecognized)
        #expect(try html("<div class='no-results'>No results.</div>", status: 404).kind == .unrecognized)
        #expect(try html("<div class='no-results'>No results.</div>", status: 202).kind == .blocked)
    }

    @Test("words of the query in a heading are not a challenge; other words are")
    func words() throws {
        #expect(try html("<h2>Please verify you are human</h2>").kind == .blocked)
        #expect(try html("<h2>Please verify you are human</h2>", query: "please verify you are human").kind == .unrecognized)
        #expect(try html("<p>Please verify you are human</p><input value='challenge-form'>").kind == .unrecognized)
        #expect(
            try html(
                "<div class='no-results'>No results for <b>anomaly-modal__title unusual traffic</b></div>",
                query: "anomaly-modal__title unusual traffic") == .empty)
        #expect(try html("<form action='/html/?q=/anomaly.js'></form><div class='no-results'></div>") == .empty)
        #expect(try html("<form action='//duckduckgo.com/anomaly.js?q=x'></form><div class='no-results'></div>").kind == .blocked)
    }

    @Test(
        "a status without results is told as what it is",
        arguments: [
            (202, SearchOutcome.Kind.blocked), (403, .blocked), (418, .blocked), (429, .rateLimited), (503, .unreachable), (404, .unrecognized),
        ])
    func status(code: Int, kind: SearchOutcome.Kind) throws { #expect(try html("", status: code).kind == kind) }

    @Test("titles and snippets hold no orders to a terminal and no hidden text")
    func control() throws {
        let hit = try #require(try html(block("A\u{1B}[31mred\u{7}", "https://one.example/", "B\u{200B}C<br>D\u{9B}E")).hits.first)
        #expect(hit.title == "A [31mred")
        #expect(hit.snippet == "BC D E")
    }

    @Test(
        "garbage of every kind is unrecognized",
        arguments: [
            [], [0], [0xFF, 0xFE, 0x41], Array("{}".utf8), Array(repeating: 0x3C, count: 5_000), Array("<div class=result><a class=result__a>".utf8),
        ] as [[UInt8]])
    func garbage(bytes: [UInt8]) throws {
        for endpoint in DuckDuckGo.Endpoint.allCases {
            #expect(try DuckDuckGo.read(response(bytes), endpoint: endpoint, query: SearchQuery("x"), provider: "d").kind == .unrecognized)
        }
    }

    @Test("a page made to take long is given up, and said to be")
    func hostile() throws {
        let page = String(repeating: "<b id=n><p>", count: 60_000)
        #expect(try html(page).kind == .unrecognized)
    }

    @Test("the request names language, region, age and whom it is for", arguments: DuckDuckGo.Endpoint.allCases)
    func request(endpoint: DuckDuckGo.Endpoint) async throws {
        let fetcher = ScriptedFetcher { _ in response("<div class='no-results'></div>") }
        let outcome = try await DuckDuckGo(endpoint, fetcher: fetcher).search(
            SearchQuery("Käse & \"Brot\" + 1", language: "de-AT", freshness: .month), origin: SearchOrigin(job: 7, "the task"))
        #expect(outcome == .empty)
        let request = try #require(fetcher.requests.first)
        #expect(fetcher.requests.count == 1)
        #expect(
            request.url == "https://\(endpoint.rawValue).duckduckgo.com/\(endpoint.rawValue)/?q=K%C3%A4se%20%26%20%22Brot%22%20%2B%201&kl=at-de&df=m")
        #expect(request.languages == ["de-AT", "de"])
        #expect(request.job == 7 && request.origin == "the task" && request.purpose == .search)
        #expect(request.allowance == nil)
    }

    @Test(
        "region codes are DuckDuckGo's own",
        arguments: [
            ("en", nil, "wt-wt"), ("de", nil, "de-de"), ("fr", "CA", "ca-fr"), ("en", "CA", "ca-en"), ("en", "GB", "uk-en"), ("ja", "JP", "jp-jp"),
            ("xx", nil, "wt-wt"), (nil, "CH", "ch-de"), ("de", "ZZ", "de-de"),
        ] as [(String?, String?, String)])
    func regions(language: String?, region: String?, code: String) { #expect(DuckDuckGoRegion.code(language: language, region: region) == code) }

    @Test(
        "what the network says becomes an outcome",
        arguments: [
            (FetchError.Code.nameNotFound, SearchOutcome.Kind.unreachable), (.connectTimedOut, .unreachable), (.offline, .misconfigured),
            (.researchOff, .misconfigured),
            (.forbiddenAddress, .unreachable), (.tooLarge, .unrecognized), (.badEncoding, .unrecognized), (.stalled, .unreachable),
        ])
    func errors(code: FetchError.Code, kind: SearchOutcome.Kind) async throws {
        let fetcher = ScriptedFetcher { _ in throw FetchError(code, "the message") }
        let outcome = try await DuckDuckGo(.html, fetcher: fetcher).search(SearchQuery("x"), origin: SearchOrigin())
        #expect(outcome.kind == kind)
        #expect(outcome.cause.contains("the message"))
        #expect(outcome.advice.isEmpty == false)
    }

    @Test("cancellation passes through")
    func cancellation() async {
        let fetcher = ScriptedFetcher { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) {
            try await DuckDuckGo(.html, fetcher: fetcher).search(SearchQuery("x"), origin: SearchOrigin())
        }
    }
}
