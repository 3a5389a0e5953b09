import Foundation
import SottoText
import Testing

@Suite struct WrittenFormTests {
    @Test("by default nothing changes")
    func plain() {
        let text = "Um,  it costs twenty-five dollars."
        #expect(WrittenForm().text(text) == text)
    }

    @Test("numbers in digits, with what belongs to them", arguments: [
        ("it costs twenty five dollars", "it costs $25"), ("It costs twenty-five dollars.", "It costs $25."),
        ("five dollars and twenty cents please", "$5.20 please"), ("five dollars and five cents", "$5.05"), ("ten percent of it", "10% of it"),
        ("three point one four", "3.14"), ("two hundred and five people", "205 people"), ("one two three four", "1234"),
        ("call five five five oh one two three now", "call 5550123 now"), ("in nineteen ninety nine", "in 1999"), ("in nineteen oh five", "in 1905"),
        ("by twenty twenty six", "by 2026"), ("at three thirty p m we go", "at 3:30 p.m. we go"), ("at ten a.m. sharp", "at 10 a.m. sharp"),
        ("the twenty first of May", "the 21st of May"), ("the nineteenth floor", "the 19th floor"), ("fifty billion stars", "50 billion stars"),
        ("eighteen million nine hundred forty thousand seven hundred twenty two", "18,940,722"), ("three euros", "€3"),
        ("two, three, or twenty", "two, three, or 20"), ("twenty, five", "20, five"), ("two point five million dollars", "$2.5 million"),
    ])
    func digits(spoken: String, written: String) { #expect(WrittenForm(digitsFrom: 10).text(spoken) == written) }

    @Test("what is no number, or too small for one, stays as it was", arguments: [
        "one of them", "the first and second thing", "no one knows", "a hundred times", "one or two", "the point is that", "Hold on a second.",
        "twenty-ish people", "it was one-sided", "seven and eight", "and then", "thousand islands", "oh no oh my", "I am at home", "five a side",
    ])
    func words(text: String) { #expect(WrittenForm(digitsFrom: 10).text(text) == text) }

    @Test("the threshold is the user's")
    func threshold() {
        #expect(WrittenForm(digitsFrom: 0).text("two for four") == "2 for 4")
        #expect(WrittenForm(digitsFrom: 100).text("twenty-five and two hundred") == "twenty-five and 200")
    }

    @Test("fillers go, sentences stay whole", arguments: [
        ("Um, I think so.", "I think so."), ("I, uh, think so, um.", "I, think so."), ("Well, umbrella and hum stay.", "Well, umbrella and hum stay."),
        ("Uh. What is it?", "What is it?"), ("um yes", "yes"), ("Umm.", ""),
    ])
    func fillers(spoken: String, written: String) { #expect(WrittenForm(removesFillers: true).text(spoken) == written) }

    @Test("replacements take whole words and phrases, the longest first, and leave look-alikes alone")
    func replacements() {
        let form = WrittenForm(replacements: [
            .init(heard: "new york", written: "New York City"), .init(heard: "york", written: "York"), .init(heard: "cooper nettys", written: "Kubernetes"),
            .init(heard: "basically", written: ""), .init(heard: "son of", written: "Shinobi"),
        ])
        #expect(form.text("I moved to new york, from york.") == "I moved to New York City, from York.")
        #expect(form.text("Cooper Nettys is basically hard.") == "Kubernetes is hard.")
        #expect(form.text("It is hard, basically.") == "It is hard.")
        #expect(form.text("The person of the year and a yorker stay") == "The person of the year and a yorker stay")
        // Two sentences are no phrase.
        #expect(form.text("It is new. York is old.") == "It is new. York is old.")
    }

    @Test func file() {
        let (found, wrong) = WrittenForm.replacements(in: "# names\ncooper nettys = Kubernetes\n\nbasically =\nno sign\n= nothing\na = b = c\n")
        #expect(found == [.init(heard: "cooper nettys", written: "Kubernetes"), .init(heard: "basically", written: ""), .init(heard: "a", written: "b = c")])
        #expect(wrong == [5, 6])
    }

    /// Pairs of NeMo's own tests: spoken → written.
    @Test("cases of other makers", .enabled(if: ProcessInfo.processInfo.environment["SOTTO_CORPORA"] != nil, "needs SOTTO_CORPORA"), arguments: [
        ("cardinal-from-itn", 0.8), ("decimal-from-itn", 0.7), ("word-from-itn", 0.95),
    ])
    func corpus(category: String, least: Double) throws {
        let root = ProcessInfo.processInfo.environment["SOTTO_CORPORA"] ?? ""
        let lines = try String(contentsOfFile: root + "/text-normalisation/dev/cases.tsv", encoding: .utf8).split(separator: "\n")
        let cases = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }.filter { $0[0] == category }
        #expect(cases.count > 5)
        let form = WrittenForm(digitsFrom: 10)
        // The other makers write no commas.
        let right = cases.count { form.text($0[2]).filter { $0 != "," } == $0[1].filter { $0 != "," } }
        print("written form \(category): \(right)/\(cases.count)")
        #expect(Double(right) / Double(cases.count) >= least)
    }
}
