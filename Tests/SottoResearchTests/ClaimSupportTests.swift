import SottoResearch
import Testing

@Suite struct ClaimSupportTests {
    private let support = ClaimSupport()
    private let passage = """
        [2] Configuration › Sharing Administrator Rights
        This is where sudo comes in. The /etc/sudoers file should never be edited directly; run visudo, which checks the syntax \
        before saving. The configuration was introduced in 1.8.3 and Bruce Perens was the second project leader, until 1999.
        """

    @Test(
        "a claim made of the passage's words passes",
        arguments: [
            "Run visudo to edit /etc/sudoers.",
            "The second leader of the project was Bruce Perens.",
            "visudo checks the syntax before saving.",
            "It was introduced in version 1.8.3.",
        ])
    func supported(claim: String) {
        #expect(support.check(claim: claim, passage: passage, question: "How do I edit sudoers?").isSupported)
    }

    @Test(
        "a number, name, command or path that the passage lacks fails, and is named",
        arguments: [
            ("Bruce Perens was the second project leader until 2001.", "2001"),
            ("Ian Murdock was the second project leader.", "Murdock"),
            ("Run sudoedit-safe, which checks the syntax before saving.", "sudoedit-safe"),
            ("The /etc/sudo.conf file should never be edited directly.", "/etc/sudo.conf"),
            ("It was introduced in 1.8.4.", "1.8.4"),
        ])
    func invented(claim: String, missing: String) {
        let finding = support.check(claim: claim, passage: passage, question: "What does it do?")
        #expect(finding.isSupported == false)
        #expect(finding.missing.contains(missing))
    }

    @Test("a claim of other words fails though it invents no name")
    func otherWords() {
        let claim = "Administrators receive generous monthly discounts and free coffee."
        #expect(support.check(claim: claim, passage: passage, question: "What do they get?").isSupported == false)
    }

    @Test("repeating the question proves nothing")
    func repeatsQuestion() {
        let question = "Which summer camps near Chicago accept children?"
        let claim = "Summer camps near Chicago accept children."
        #expect(support.check(claim: claim, passage: passage, question: question).isSupported == false)
    }

    @Test("a name that the asker brought must occur in something that was read")
    func askersNames() {
        let passage = "Press the Del key while the computer starts to enter its setup."
        let claim = "Press the Del key to enter the setup of a Dell laptop."
        let question = "Which key enters the setup of a Dell laptop?"
        #expect(support.check(claim: claim, passage: passage, question: question, surroundings: passage).missing == ["Dell"])
        #expect(support.check(claim: claim, passage: passage, question: question, surroundings: passage + " On a Dell machine, wait.").elsewhere == ["dell"])
    }

    @Test("a small number may be a word on one side and a figure on the other")
    func figures() {
        let passage = "A RAID-4 array survives 1 failed disk."
        #expect(support.check(claim: "RAID-4 survives one failed disk.", passage: passage, question: "How many?").isSupported)
        #expect(support.check(claim: "RAID-4 survives 2 failed disks.", passage: passage, question: "How many?").isSupported == false)
    }

    @Test("a shortened month is the month")
    func months() {
        let passage = "Sentencing is scheduled for Feb. 14."
        #expect(support.check(claim: "The sentencing is on February 14.", passage: passage, question: "When is the sentencing?").isSupported)
        #expect(support.check(claim: "The sentencing is on January 14.", passage: passage, question: "When is the sentencing?").isSupported == false)
    }
}
