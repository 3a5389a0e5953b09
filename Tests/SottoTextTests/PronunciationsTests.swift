import SottoText
import Testing

@Suite struct PronunciationsTests {
    private let list = Pronunciations(parsing: """
        # How things are said here
        nginx = engine ex
        Siobhan = Shivawn
        C. diff = see diff
        new york = the big apple
        york = yorick
        GIF = /ʤˈɪf/

        without a sign
        = nothing
        a-b = /x/
        """)

    @Test("whole words are replaced, longest first, in any case unless the list has capitals", arguments: [
        ("Restart nginx, then NGINX again.", "Restart engine ex, then engine ex again."),
        ("nginxd and mynginx stay", "nginxd and mynginx stay"),
        ("Siobhan met siobhan.", "Shivawn met siobhan."),
        ("He has C. diff again", "He has see diff again"),
        ("New York and York", "the big apple and yorick"),
        ("", ""),
    ])
    func applied(written: String, said: String) {
        #expect(list.applied(to: written) == said)
    }

    @Test("phonemes stand apart, faults are named by their line")
    func parts() {
        #expect(list.phonemes == ["gif": "ʤˈɪf"])
        #expect(list.faults.map(\.line) == [9, 10, 11])
        #expect(Pronunciations(parsing: "").applied(to: "x") == "x")
    }

    @Test("the spoken form uses the list before numbers become words")
    func spokenForm() {
        let list = Pronunciations(parsing: "4K = ultra HD")
        #expect(SpokenForm.of("A **4K** screen for $5.", pronunciations: list) == "A ultra HD screen for five dollars.")
    }
}
