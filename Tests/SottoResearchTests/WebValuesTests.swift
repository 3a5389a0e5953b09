import SottoDocument
import SottoPassageIndex
import SottoSearching
import Testing

@testable import SottoResearch

@Suite struct WebValuesTests {
    private func hit(_ address: String) -> SearchHit { SearchHit(title: "t", address: address, snippet: "", provider: "p", rank: 1) }

    @Test("pages are tried in the order of the hits until enough were read or as many were tried as may be")
    func queue() {
        var queue = ReadingQueue((1...9).map { hit("http://h\($0).example/") }, attempts: 4, wanted: 2)
        #expect(queue.next()?.address == "http://h1.example/")
        #expect(queue.next()?.address == "http://h2.example/")
        #expect(queue.next() == nil, "two are under way, and two are enough")
        queue.ended(wasRead: false)
        #expect(queue.next()?.address == "http://h3.example/")
        queue.ended(wasRead: true)
        queue.ended(wasRead: false)
        #expect(queue.next()?.address == "http://h4.example/")
        queue.ended(wasRead: false)
        #expect(queue.next() == nil, "four were tried")
        #expect(queue.read == 1 && queue.started == 4)
    }

    @Test("of one site only so many are tried")
    func perSite() {
        var queue = ReadingQueue(
            ["http://a.example/1", "http://www.a.example/2", "http://a.example/3", "http://b.example/4"].map(hit), attempts: 9, wanted: 9, perSite: 2)
        var order: [String] = []
        while let next = queue.next() { order.append(next.address) }
        #expect(order == ["http://a.example/1", "http://www.a.example/2", "http://b.example/4"])
    }

    @Test("later rounds share what is left, and end at each of their limits")
    func budget() {
        var limits = ResearchLimits(.deep)
        (limits.rounds, limits.queries, limits.pages, limits.tokens, limits.time) = (3, 10, 12, 1_000, .seconds(100))
        var budget = ResearchBudget(limits)
        #expect(budget.bound(at: .zero) == nil)
        #expect(budget.pagesOfRound == 4)
        budget.took(queries: 3, pages: 2, tokens: 300)
        #expect(budget.pagesOfRound == 5)
        #expect(budget.queriesLeft == 7)
        #expect(budget.bound(at: .seconds(84)) == nil)
        #expect(budget.bound(at: .seconds(85)) == .time, "the last 15 % are for the write-up")
        var hungry = budget
        hungry.took(queries: 1, pages: 1, tokens: 300)
        #expect(hungry.bound(at: .zero) == .tokens, "600 and as many as last time again are more than 850")
        var asking = budget
        asking.took(queries: 7, pages: 0, tokens: 0)
        #expect(asking.bound(at: .zero) == .queries)
        var reading = budget
        reading.took(queries: 0, pages: 10, tokens: 0)
        #expect(reading.bound(at: .zero) == .pages)
        budget.took(queries: 0, pages: 0, tokens: 0)
        budget.took(queries: 0, pages: 0, tokens: 0)
        #expect(budget.bound(at: .zero) == .rounds)
    }

    @Test("a query keeps the task's words, earlier queries' words and names of two sites, and nothing else")
    func vocabulary() {
        var words = QueryVocabulary(task: "When was Köln cathedral finished?", queries: ["Köln cathedral completion"])
        words.note("The work was led by Zwirner after 1842. In Köln they say Dombauhütte.", of: "one.example")
        words.note("It was Ernst Zwirner who led it; secretword99 and Dombauhütte too.", of: "www.one.example")
        #expect(words.admit("Zwirner cathedral Köln") == "cathedral Köln", "hosts of one name are one site")
        #expect(words.admit("finished Zwirner cathedral") == "finished cathedral")
        words.note("We thank Zwirner for it.", of: "two.test")
        #expect(words.admit("Zwirner cathedral Köln 1842") == "Zwirner cathedral Köln")
        #expect(words.admit("secretword99 Dombauhütte") == nil)
        #expect(words.sharedNames == ["zwirner"])
        words.add("Zwirner cathedral Köln")
        #expect(words.admit("cathedral in Köln by Zwirner") == nil, "the same words in another order are the same query")
        #expect(words.sharedNames.isEmpty)
    }

    @Test(
        "hosts belong to the name that was registered",
        arguments: [("news.bbc.co.uk", "bbc.co.uk"), ("a.b.example.com", "example.com"), ("example.de", "example.de"), ("localhost", "localhost"), ("x.com.au", "x.com.au")])
    func registered(host: String, name: String) { #expect(QueryVocabulary.registered(host) == name) }

    @Test("passages with rare words of the question rank first, others with none are left out, and the page's beginning leads among equals")
    func ranking() {
        func passage(_ text: String, _ ordinal: Int, _ location: String = "a") -> PassageHit {
            PassageHit(location: location, title: "", language: "en", passage: Passage(text: text, ordinal: ordinal), score: 0)
        }
        let hits = [
            passage("The lighthouse has a lamp.", 0), passage("The lighthouse is forty metres tall.", 5), passage("Tea is served at four.", 1),
            passage("The lighthouse has a lamp!", 3, "b"),
        ]
        let ranked = PassageRanking().rank(hits, question: "How tall is the lighthouse?", queries: ["height metres"])
        #expect(ranked.map(\.passage.ordinal) == [5, 0, 3])
        #expect(PassageRanking().rank(hits, question: "the of and", queries: []).isEmpty)
        #expect(PassageRanking().rank([], question: "lighthouse", queries: []).isEmpty)
    }

    @Test("text without spaces between its words is ranked by pairs of characters")
    func unspaced() {
        let hits = ["京都は日本の古い都市です。", "富士山の高さは三千七百七十六メートルです。"].map {
            PassageHit(location: $0, title: "", language: "ja", passage: Passage(text: $0), score: 0)
        }
        #expect(PassageRanking().rank(hits, question: "富士山の高さは？", queries: []).first?.passage.text == hits[1].passage.text)
    }

    @Test("BM25 agrees with the formula worked out by hand")
    func formula() {
        // Two passages of two words each; "red" stands in one of them. ln(1 + (2 − 1 + 0.5) / (1 + 0.5)) = ln 2; tf part 2.2 / 2.2 = 1; lead 15 %.
        let hits = ["red house", "blue house"].map { PassageHit(location: $0, title: "", language: "en", passage: Passage(text: $0), score: 0) }
        let ranked = PassageRanking().rank(hits, question: "red", queries: [])
        #expect(ranked.count == 1)
        #expect(abs(ranked[0].score - 0.693147 * 1.15) < 0.0001)
    }

    @Test("an address in the findings can become no markup")
    func address() {
        let source = ResearchResult.Source(
            id: 1, title: "A](http://evil.example)", location: "http://a.example/![x](http://evil.example/p?`a`)<b>", level: .full, reason: "",
            passages: [.init(id: "1.1", text: "x", heading: "", offset: 0)], cited: true)
        let text = Findings.markdown(status: .answered, claims: [], gaps: [], sources: [source])
        #expect(text.contains("](") == false && text.contains("<b>") == false && text.contains("`") == false)
    }
}
