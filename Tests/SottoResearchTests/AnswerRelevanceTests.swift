import SottoResearch
import Testing

@Suite struct ExpectedAnswerTests {
    @Test("the wording of a question tells what it asks for", arguments: [
        ("How many failed disks can a RAID-4 array survive?", ExpectedAnswer.quantity),
        ("On what date was Debian 14 released?", .quantity),
        ("What is the recommended temperature of a server room at Falcot Corp?", .quantity),
        ("Which monthly fee does Debian charge for its long-term support?", .money),
        ("What is the price of a Raspberry Pi 5 with 16 GB of memory?", .money),
        ("What salary does a Debian package maintainer earn?", .money),
        ("How much does a subscription cost a month?", .money), ("How many euros did it cost?", .money), ("What is the order worth?", .money),
        ("How many people pay for it?", .quantity), ("What is worth reading about it?", .anything), ("How much water is there?", .quantity),
        ("What cost?", .quantity),
        ("Which port does VNC use by default for the first screen?", .quantity),
        ("What is the maximum number of partitions that btrfs supports?", .quantity),
        ("When was it released?", .quantity),
        ("How often does the package collect its information?", .frequency),
        ("What does the package do, and how often does it collect its information?", .anything),
        ("Who was the second leader of the Debian project?", .person),
        ("Which command changes the disk quota limits of a user?", .anything),
        ("Which version of Rust is needed to build apt?", .anything),
        ("What does umask do when an application creates a file?", .anything),
        ("Who may read the file?", .anything),
        ("Which file holds the price list?", .anything),
        ("Which command sets the date?", .anything),
        ("", .anything),
    ])
    func kinds(question: String, expected: ExpectedAnswer) {
        #expect(ExpectedAnswer(question) == expected)
    }

    @Test("an answer has what was asked for, as word or figure", arguments: [
        (ExpectedAnswer.quantity, "A RAID-4 array survives one failed disk.", true),
        (.quantity, "VNC uses port 5900.", true),
        (.quantity, "It was released in July.", true),
        (.quantity, "The backup server stands in a separate room.", false),
        (.money, "Tickets go on sale on December 6th at 10 a.m.", false), (.money, "It costs 299 rupees.", true), (.money, "They paid $2.8 billion.", true),
        (.money, "Admission is free.", true), (.money, "It costs €3.", true),
        (.frequency, "The information is sent each week.", true),
        (.frequency, "The information is sent anonymously.", false),
        (.frequency, "It tells the importance of each package.", false),
        (.frequency, "It runs every 3 hours.", true),
        (.person, "Bruce Perens was the second leader.", true),
        (.person, "the second leader was elected", false),
    ])
    func met(expected: ExpectedAnswer, claim: String, isMet: Bool) {
        #expect(expected.isMet(by: claim) == isMet)
    }
}

@Suite struct AnswerRelevanceTests {
    @Test("a claim that says the question again is no answer", arguments: [
        ("Which Kubernetes network plugin is set up for the cluster?", "The cluster sets up the Kubernetes network plugin."),
        ("What is the default password of the administrator account?", "The default password of the administrator account is the administrative password."),
        ("Which snap command refreshes all snaps at night?", "The snap command refreshes all snaps at night."),
    ])
    func repeats(question: String, claim: String) {
        #expect(AnswerRelevance().objection(to: claim, question: question, passage: claim, surroundings: claim) == "it only repeats the question")
    }

    @Test("a claim with news passes, and so does a repetition where yes or no was asked")
    func news() {
        let claim = "visudo edits the sudoers file."
        #expect(AnswerRelevance().objection(to: claim, question: "Which program edits the sudoers file?", passage: claim, surroundings: claim) == nil)
        #expect(AnswerRelevance().objection(to: "The sudoers file is edited.", question: "Is the sudoers file edited?", passage: claim, surroundings: claim) == nil)
    }

    @Test("what the passage does not say is no news")
    func inventedNews() {
        let question = "Which screen reader does the handbook rate as the fastest?"
        let claim = "The handbook rates the fastest screen reader among the options provided."
        #expect(AnswerRelevance().objection(to: claim, question: question, passage: "A screen reader reads aloud.", surroundings: claim) == "it only repeats the question")
    }

    @Test("what the question is about must occur in what was read")
    func focus() {
        let relevance = AnswerRelevance(focus: ["podman"])
        let claim = "The --user option runs it without root."
        let question = "Which podman option runs a container without root?"
        #expect(relevance.objection(to: claim, question: question, passage: claim, surroundings: claim) == "nothing that was read mentions “podman”")
        #expect(relevance.objection(to: claim, question: question, passage: claim, surroundings: "Podman, too. " + claim) == nil)
    }

    @Test("the focus of a question is its names and its words that no single token stands for; only English is asked for the last")
    func focusWords() async {
        // Stands in for a tokenizer whose vocabulary holds these words.
        let common: Set<String> = [" option", " runs", " container", " without", " root", " Chicago"]
        let pieces: @Sendable (String) -> Int = { common.contains($0) ? 1 : 2 }
        #expect(await QuestionFocus.words(of: "Which podman option runs a container without root in Chicago?", language: "en", pieces: pieces) == ["podman", "chicago"])
        #expect(await QuestionFocus.words(of: "Welche Paketverwaltung?", language: "de", pieces: pieces).isEmpty)
    }
}
