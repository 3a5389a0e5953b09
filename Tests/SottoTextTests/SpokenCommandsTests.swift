import SottoText
import Testing

struct SpokenCommandsTests {
    private let form = WrittenForm(obeysCommands: true)

    @Test("marks and lines that are said are set, whatever the recognizer guessed about them", arguments: [
        ("buy milk new line eggs new line bread", "buy milk\nEggs\nBread"),
        ("Buy milk. New line. Eggs. New line. Bread.", "Buy milk\nEggs\nBread."),
        ("Hello, comma, how are you? Question mark.", "Hello, how are you?"),
        ("Hello. Comma. How are you, question mark.", "Hello, how are you?"),
        ("Dear Ms. Baker comma new paragraph I am writing full stop thank you exclamation mark", "Dear Ms. Baker,\n\nI am writing. Thank you!"),
        ("She said colon open quote not now close quote period", "She said: “not now”."),
        ("a well hyphen known man dash my uncle dash came", "a well-known man – my uncle – came"),
        ("He left. Full stop. I stayed.", "He left. I stayed."),
        ("we met in Paris comma I think", "we met in Paris, I think"),
        ("wait dot dot dot no semicolon yes", "wait… No; yes"),
        ("open bracket see below close bracket", "(see below)"),
        ("new line", "\n"), ("comma", ","), ("", ""),
    ])
    func obeyed(heard: String, written: String) {
        #expect(form.text(heard) == written)
    }

    @Test("after \"literal\", and where a sentence lies between, they are words", arguments: [
        ("put a literal comma here", "put a comma here"), ("the literal new line character", "the new line character"),
        ("It is full. Stop it.", "It is full. Stop it."), ("That was new. Line two is old.", "That was new. Line two is old."),
        ("the commas and the newlines", "the commas and the newlines"), ("a literal meaning", "a literal meaning"),
    ])
    func words(heard: String, written: String) {
        #expect(form.text(heard) == written)
    }

    @Test("off by default, and with the other forms")
    func together() {
        #expect(WrittenForm().text("one comma two") == "one comma two")
        let all = WrittenForm(replacements: [.init(heard: "nine teen", written: "19")], removesFillers: true, digitsFrom: 10, obeysCommands: true)
        #expect(all.text("um it costs twenty five dollars full stop uh nine teen comma yes") == "it costs $25. 19, yes")
    }
}
