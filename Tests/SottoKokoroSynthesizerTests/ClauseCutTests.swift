import Testing

@testable import SottoKokoroSynthesizer

/// Sentences in words; `|` marks where the first clause may end, none where there is no such place. Written for this test.
private let sentences: [String] = [
    // A clause or an introduction ends at a comma.
    "After the restart,| the service runs again as before.",
    "In the end,| nobody knew what had happened there.",
    "However that may be,| the answer is not known.",
    "If you want to stop it,| press the red button now.",
    "When the sun came out,| the snow melted in an hour.",
    "It rained all day,| so they stayed at home and read.",
    "He opened the door,| but nobody was there to see him.",
    "The price rose by four percent,| and it will rise again next year.",
    "She said no,| which surprised everybody in the room.",
    "For the first time,| the team has won both games.",
    "On most machines,| this takes less than a second to run.",
    "As far as I know,| there is no other way to do it.",
    "According to the manual,| the value must be a positive number.",
    "Before you begin,| make a copy of the whole folder.",
    "Yes you can,| but it takes a lot of time.",
    "To see the list, type the command without any arguments.",
    "The file is there;| you only have to open it.",
    "There are two ways:| the first one is the simplest of all.",
    "The cat sat on the mat —| it was warm there.",
    "Although it was late,| they went on working for hours.",
    // A clause begins without a mark.
    "They stayed at home| because the weather was too bad.",
    "The program stopped| although nothing had been changed in it.",
    "Nothing will happen| unless you press the button again.",
    "The old version reads the file| whereas the new one streams it.",
    "The pump was running| and it made a terrible noise.",
    "The door was open| but nobody came in all day.",
    "The lights went out| when the storm reached the town.",
    "The engine stopped| before the car reached the hill.",
    // Dates, numbers, places: no clause ends in them.
    "The war ended on May eighth, nineteen forty five in Europe.",
    "On January fifth, twenty twenty six, | the law came into force everywhere.".replacing(", |", with: ",|"),
    "Call five five five, one two three, four five six seven today.",
    "He lives in Paris, France with his wife and children.",
    "The office in Santa Clara, California was closed last year.",
    // Lists.
    "We need apples, pears, and plums for the cake.",
    "Bring a pen, a ruler, and some paper to the test.",
    "The colors red, green and blue make white light.",
    "It runs on Linux, Windows and several other systems.",
    "You need flour, sugar, eggs and a little butter for it.",
    // Adjectives.
    "It was a big, red ball that rolled down the street.",
    "This is a very old, very heavy table made of oak.",
    "He had a long, dark, narrow room to himself.",
    // No clause begins there.
    "Those people who live in glass houses should not throw stones.",
    "The book that you gave me yesterday is very good indeed.",
    "I do not know when the train will arrive at the station.",
    "Please tell me if the package has been delivered to you.",
    "The cat and the dog slept beside the warm stove.",
    "The default route is set in the interfaces file of the host.",
    "Ask him where the keys of the old house are kept.",
    "She sang and danced for more than two hours last night.",
    "He wondered what the meaning of all of this could be.",
    "The value is the same as before the change of the clock.",
    "Nobody but the owner can read the file in that folder.",
    "A short one.",
    "The train from London to Paris runs under the sea every hour.",
]

@Suite struct ClauseCutTests {
    @Test("there are at least 50 of them")
    func count() { #expect(sentences.count >= 50) }

    @Test("a first clause ends where a speaker may pause, and never inside a phrase", arguments: sentences)
    func cut(marked: String) {
        let parts = marked.split(separator: "|").map { String($0.drop(while: \.isWhitespace)) }
        let cut = ClauseCut.first(in: marked.filter { $0 != "|" })
        #expect((cut.map { [$0.head, $0.tail] } ?? [marked]) == parts)
    }
}
