import SottoDocument
import SottoPassageIndex
@testable import SottoResearch
import Testing

@Suite struct SourceAlignmentTests {
    private func check(_ claim: String, _ passage: String, question: String = "What is it?") -> SourceAlignment.Finding? {
        let hit = PassageHit(location: "/a", title: "A", language: "en", passage: Passage(text: passage), score: 1)
        return SourceAlignment(hit).check(claim, asked: WordForms(question), read: WordForms(passage))
    }

    @Test("a claim that keeps to its sentence stands, whatever it leaves out at the ends or repeats of the question", arguments: [
        ("Bruce Perens was the second leader.", "Bruce Perens was the second leader of the project, just after Ian Murdock.", "Who was the second leader?"),
        ("The command to change the set at any time is dpkg-reconfigure locales.",
            "It asks for a set of languages. This set can be changed at any time by running dpkg-reconfigure locales as root.", "Which command changes the set?"),
        ("VNC uses port 5900 by default for the first screen.",
            "Note that VNC uses port 5900 by default for the first screen (called “localhost:0”), 5901 for the second.", "Which port does VNC use for the first screen?"),
        ("anacron completes cron for computers that are not on at all times.",
            "anacron is the daemon that completes cron for computers that are not on at all times.", "Which tool?"),
        ("When a file is created, the system removes certain rights.",
            "When an application creates a file, the system automatically removes certain rights.", "What happens when a file is created?"),
        ("The array survives 1 failed disk.", "Data on the array is safe up to one failed disk; it survives that.", "How many failed disks does the array survive?"),
    ])
    func keeps(claim: String, passage: String, question: String) {
        #expect(check(claim, passage, question: question)?.departure == nil)
    }

    @Test("what a claim makes of its sentence is noticed", arguments: [
        ("The array can survive up to N+1 disks.", "Data on the array is safe only up to one failed disk (of the N+1). It can survive that.", "“n+1” counts something else there"),
        ("Use -b 1024 to choose a smaller keysize when testkey succeeds, and the entry has been set up.",
            "In this case use -b 1024 to choose a smaller keysize. If testkey succeeds, the entry has been set up.", "it joins what several sentences say"),
        ("The reset removes the settings.", "The reset does not remove the settings.", "it loses or adds a “not”"),
        ("The reset never removes the settings.", "The reset removes the settings.", "it loses or adds a “not”"),
        ("The daemon removes old files.", "The daemon sometimes removes old files.", "it leaves out “sometimes”"),
        ("The daemon removes all old files.", "The daemon removes old files.", "it adds “all”"),
        ("The system can reconstruct its contents from the others.", "If that disk fails, the system can reconstruct its contents from the others.",
            "it leaves out the condition after “if”"),
        ("The option chooses a smaller key when the test succeeds.", "The option chooses a smaller key; a test follows that succeeds.", "it adds the condition after “when”"),
        ("The mirror server protects the backup disk.", "The disk backup protects the server mirror.", "it puts the words in another order"),
    ])
    func departs(claim: String, passage: String, departure: String) {
        #expect(check(claim, passage)?.departure == departure)
    }

    @Test("a text that ran into its limit is no claim")
    func cut() {
        let sentence = "The scripts make an image " + Array(repeating: "and load another module", count: 14).joined(separator: " ")
        #expect(check(sentence, sentence + " of the system.")?.departure == "it is cut off")
    }

    @Test("a sentence is quoted with those that it points back to")
    func quotation() {
        let text = "Some servers only handle 255 characters. This is less than a key needs. It can be made smaller. Restart the server."
        let alignment = SourceAlignment(PassageHit(location: "/a", title: "A", language: "en", passage: Passage(text: text), score: 1))
        #expect(alignment.quotation(of: 2) == "Some servers only handle 255 characters. This is less than a key needs. It can be made smaller.")
        #expect(alignment.quotation(of: 3) == "Restart the server.")
    }

    @Test("a passage without a sentence says nothing")
    func empty() {
        #expect(check("It is so.", "") == nil)
    }
}
