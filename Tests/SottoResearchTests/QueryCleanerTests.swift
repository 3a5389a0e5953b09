import SottoResearch
import Testing

@Suite struct QueryCleanerTests {
    private let cleaner = QueryCleaner()

    @Test("the question comes first, as it was asked")
    func questionFirst() {
        let queries = cleaner.clean(["locale settings debian"], question: "Which command changes the locales?", limit: 2)
        #expect(queries == ["Which command changes the locales?", "locale settings debian"])
    }

    @Test(
        "a model's decorations go",
        arguments: [
            ("**disk quota** command", "disk quota command"),
            ("1. disk quota command", "disk quota command"),
            ("- disk quota command", "disk quota command"),
            ("\"disk quota\" command", "disk quota command"),
            ("disk quota command — how administrators limit users", "disk quota command"),
            ("disk quota command\nlimits", "disk quota command limits"),
        ])
    func decorations(proposed: String, expected: String) {
        #expect(cleaner.clean([proposed], question: "x", limit: 1).last == expected)
    }

    @Test("a year that the question does not have is dropped, one that it has stays")
    func years() {
        #expect(cleaner.clean(["debian release 2023"], question: "When is the next release?", limit: 1).last == "debian release")
        #expect(cleaner.clean(["debian release 2023"], question: "What was released in 2023?", limit: 1).last == "debian release 2023")
    }

    @Test("queries that say the same again are run once, whatever their order, case and endings")
    func repeats() {
        let queries = cleaner.clean(
            ["Editing sudoers files", "sudoers file editing", "safe privilege escalation"], question: "edit the sudoers file", limit: 3)
        #expect(queries == ["edit the sudoers file", "safe privilege escalation"])
    }

    @Test("no more queries than the limit, and no empty or endless ones")
    func bounds() {
        let long = (1...40).map { "word\($0)" }.joined(separator: " ")
        let queries = cleaner.clean(["", "the of and", long, "alpha beta", "gamma delta"], question: "q7", limit: 2)
        #expect(queries.count == 3)
        #expect(queries[1].split(separator: " ").count == 12)
    }
}
