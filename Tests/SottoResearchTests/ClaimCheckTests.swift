import SottoDocument
import SottoPassageIndex
@testable import SottoResearch
import Testing

@Suite struct ClaimCheckTests {
    private func hit(_ text: String, location: String = "/a", title: String = "Storage") -> PassageHit {
        PassageHit(location: location, title: title, language: "en", passage: Passage(text: text), score: 1)
    }

    private func draft(_ texts: String...) -> ClaimDraft {
        ClaimDraft(answered: true, claims: texts.map { .init(text: $0, sources: [1]) }, gaps: [])
    }

    @Test("a claim that departs from its sentence is replaced by it, word for word")
    func replaced() {
        let passage = hit("Some servers only handle 255 characters. In this case use the option -b 1024 to choose a smaller keysize. If the test succeeds, the entry has been set up.")
        let check = ClaimCheck(question: "Which option helps when a server cannot handle long entries?", passages: [passage], focus: [])
        let claims = check.check(draft("The option is -b 1024, to choose a smaller keysize when the test succeeds and has been set up."))
        #expect(claims.map(\.isSupported) == [true])
        #expect(claims.map(\.text) == ["Some servers only handle 255 characters. In this case use the option -b 1024 to choose a smaller keysize."])
        #expect(claims[0].reason == "copied word for word; of the drafted claim: it joins what several sentences say")
    }

    @Test("when another claim rests on that sentence already, the one that departs from it is dropped")
    func dropped() {
        let passage = hit("Data on a RAID-4 array is safe only up to one failed disk (of the N+1). Such an array can survive little.")
        let check = ClaimCheck(question: "How many failed disks can a RAID-4 array survive?", passages: [passage], focus: [])
        let claims = check.check(draft("A RAID-4 array can survive only up to one failed disk.", "A RAID-4 array can survive only up to N+1 disks."))
        #expect(claims.map(\.isSupported) == [true, false])
        #expect(claims[1].reason == "“n+1” counts something else there")
    }

    @Test("what is said twice in nearly the same words is shown once", arguments: [
        ("Julian Assange is being held in Belmarsh prison in London.", false), ("Julian Assange is held at Belmarsh prison.", false),
    ])
    func twice(second: String, isShown: Bool) {
        let passage = hit("Julian Assange is currently being held at Belmarsh prison in London.", title: "News")
        let check = ClaimCheck(question: "Where is Assange?", passages: [passage], focus: [])
        let claims = check.check(draft("Julian Assange is currently being held at Belmarsh prison in London.", second))
        #expect(claims.map(\.isSupported) == [true, isShown])
        #expect(claims[1].reason == "another claim holds it")
    }

    @Test("only passages that state a claim are cited for it")
    func cited() {
        let passages = [hit("VNC uses port 5900 by default."), hit("This opens a tunnel from the VNC client to port 5900 of the machine.", location: "/b")]
        let check = ClaimCheck(question: "Which port does VNC use by default?", passages: passages, focus: [])
        let claims = check.check(ClaimDraft(answered: true, claims: [.init(text: "VNC uses port 5900 by default.", sources: [1, 2])], gaps: []))
        #expect(claims.first?.passages == [1])
    }

    @Test("a claim whose theme its passage does not speak of is none of its, though its number stands there")
    func otherTheme() {
        let passages = [hit("The mail server keeps the 10 newest copies of each log."), hit("The swappiness of a desktop is not a question of taste.", location: "/b")]
        let check = ClaimCheck(question: "Which swappiness value does the kernel need on desktops?", passages: passages, focus: [])
        #expect(check.check(draft("The kernel needs a swappiness value of 10 on desktops.")).map(\.isSupported) == [false])
    }

    @Test("a claim that puts the question's word for the passage's is replaced by what the passage says")
    func borrowed() {
        let passages = [hit("Devuan is a fork of Debian. Devuan started in 2014 as a reaction to systemd.", title: "Devuan")]
        let check = ClaimCheck(question: "On what date was Devuan first released?", passages: passages, focus: [])
        let claims = check.check(draft("Devuan was first released in 2014 as a reaction to systemd."))
        #expect(claims.map(\.text) == ["Devuan started in 2014 as a reaction to systemd."])
        #expect(claims[0].reason.hasSuffix("is the question's word, not the passage's"))
    }

    @Test("a document that does not speak of what is asked about gives no answer, drafted or copied")
    func strangeDocument() {
        let passages = [hit("Ubuntu was released in April 2021, as a distribution.", title: "Ubuntu"), hit("Devuan is a distribution.", location: "/b", title: "Devuan")]
        let check = ClaimCheck(question: "On what date was the distribution Devuan released?", passages: passages, focus: ["devuan"])
        #expect(check.check(draft("It was released in April 2021.")).map(\.isSupported) == [false])
        #expect(check.extracts(limit: 2).isEmpty)
        let both = ClaimCheck(question: "When were the distributions Devuan and Ubuntu released?", passages: passages, focus: ["devuan", "ubuntu"])
        #expect(both.check(draft("Ubuntu was released in April 2021.")).map(\.isSupported) == [true])
    }

    @Test("a claim does not take over what no source mentions")
    func unmentioned() {
        let passages = [hit("Knoppix uses LXDE by default, but the DVD includes GNOME too.")]
        let check = ClaimCheck(question: "Which desktop does Knoppix use by default on a tablet?", passages: passages, focus: [])
        let claims = check.check(draft("Knoppix uses LXDE by default on a tablet."))
        #expect(claims.map(\.text) == ["Knoppix uses LXDE by default, but the DVD includes GNOME too."])
        #expect(claims[0].reason.contains("“tablet” is the question's word"))
        // That a book names something is plain; that it recommends it is not.
        let advice = ClaimCheck(question: "Which desktop does the book recommend?", passages: passages, focus: [])
        #expect(advice.check(draft("The book recommends the LXDE desktop.")).map(\.isSupported) == [false])
        let naming = ClaimCheck(question: "Which desktop does the book name?", passages: passages, focus: [])
        #expect(naming.check(draft("The book names LXDE, the default.")).map(\.isSupported) == [true])
    }

    @Test("a name that the asker brought must stand in the document that states the claim, not in another", arguments: ["/a", "/b"])
    func otherDocument(location: String) {
        let passages = [hit("The web interface listens on port 10000 by default."), hit("FRR is a set of routing daemons.", location: location)]
        let check = ClaimCheck(question: "Which port does FRR use for its web interface?", passages: passages, focus: ["frr"])
        let claims = check.check(draft("FRR uses port 10000 for its web interface."))
        #expect(claims.map(\.isSupported) == [location == "/a"])
        #expect(claims[0].passages == (location == "/a" ? [1, 2] : [1]))
    }

    @Test("the surer of two claims that contradict each other stays, and is quoted in the reason")
    func settled() {
        func claim(_ text: String, _ isSupported: Bool = true) -> ResearchStep.CheckedClaim {
            .init(text: text, passages: [1], isSupported: isSupported, reason: "")
        }
        let claims = [claim("It costs nothing.", false), claim("An array can survive two failed disks."), claim("An array can survive one failed disk."), claim("It is slow.")]
        let settled = ClaimCheck(question: "How many?", passages: [hit("x")], focus: []).settled(claims)
        #expect(settled.map(\.isSupported) == [false, true, false, true])
        #expect(settled[2].reason == "it contradicts a surer claim: “An array can survive two failed disks.”")
    }

    @Test("what nothing that was read speaks of is counted, but not what the question says of its source", arguments: [
        ("Which desktop does Knoppix use by default?", "en", 0.0), ("Which desktop does Knoppix use by default on a tablet?", "en", 0.25),
        ("What salary does Knoppix pay?", "en", 2.0 / 3), ("Which desktop does the book recommend?", "en", 0.0), ("Welche Oberfläche nutzt Knoppix?", "de", 0.0), ("", "en", 0.0),
    ])
    func unread(question: String, language: String, share: Double) {
        let check = ClaimCheck(question: question, passages: [hit("Knoppix uses the LXDE desktop by default.")], focus: [])
        #expect(abs(check.unreadShare(language: language) - share) < 0.001)
    }

    @Test("marks that look like citations go, names of manual pages stay", arguments: [
        ("Details are in the sudoers(5) manual page.", "Details are in the sudoers(5) manual page."),
        ("Run visudo [1].", "Run visudo."), ("Run visudo [1, 2] as root.", "Run visudo as root."), ("Run visudo (source 1).", "Run visudo."),
        ("Run visudo (sources [1] and [2]).", "Run visudo."), ("Run visudo (passage 3) as root.", "Run visudo as root."), ("Run visudo (1).", "Run visudo."),
        ("Run visudo ([2]).", "Run visudo."), ("See crontab(5) and cron(8).", "See crontab(5) and cron(8)."),
        ("The disk (of the N+1) and chapter (12) stay.", "The disk (of the N+1) and chapter (12) stay."), ("two\n lines\u{200B}", "two lines"),
        ("He works at the U. S. Mint.", "He works at the U.S. Mint."), ("That is plan B. It works.", "That is plan B. It works."),
    ])
    func plain(text: String, shown: String) {
        #expect(ClaimCheck.plain(text) == shown)
    }
}

@Suite struct QuestionNamesTests {
    @Test("a question is about its names and numbers", arguments: [
        ("On what date was Debian 14 released?", "en", ["debian", "debian 14"]),
        ("Which key enters the UEFI setup of a Dell laptop?", "en", ["uefi", "dell"]),
        ("What is the price of a Raspberry Pi 5 with 16 GB of memory?", "en", ["raspberry", "pi", "pi 5", "16"]),
        ("Which command line creates an SSH tunnel from port 8000 to port 25?", "en", ["ssh", "8000", "25"]),
        ("Does the ferry to Larkholm leave on Mondays in May?", "en", ["larkholm"]),
        ("What is the Emirates order for Boeing 787-9 planes worth?", "en", ["emirates", "boeing", "787-9"]),
        ("May I use it?", "en", []),
        ("Which Is The Best Kettle?", "en", []),
        ("Welcher Befehl ändert die Sprache von Debian 12?", "de", ["12"]),
        ("¿Quién fue el segundo líder de Debian?", "es", ["debian"]),
        ("What is the authors' or Debian's goal?", "en", ["debian"]),
        ("", "en", []),
    ])
    func names(question: String, language: String, names: [String]) {
        #expect(QuestionFocus.names(in: question, language: language) == Set(names))
    }

    @Test("a word that the vocabulary has in pieces is what a question is about, but for long words of an ordinary ending")
    func pieces() async {
        let words = await QuestionFocus.words(of: "How does the congresswoman install podman on skiers' happiness?", language: "en") { _ in 2 }
        #expect(words.contains("podman") && words.contains("congresswoman") == false && words.contains("happiness") == false)
    }

    @Test("a name is read in its forms, in a row with its number, or behind its abbreviation", arguments: [
        ("debian 14", "Debian 14 was released.", true), ("debian 14", "Debian 11, section 14", false), ("debian 14", "the debian14 image", true),
        ("dell", "Dell's laptops", true), ("eu", "the European Union", true), ("uk", "in the United Kingdom of Great Britain", true), ("eu", "every unit", false),
        ("raid-4", "RAID 4", true), ("larkholm", "the ferry", false),
    ])
    func read(name: String, text: String, isRead: Bool) {
        #expect(WordForms(text).names(name) == isRead)
    }
}
