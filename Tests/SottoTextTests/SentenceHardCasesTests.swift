import SottoText
import Testing

/// Texts that are easily cut where no sentence ends; `|` marks where one does. Written for this test.
private let hardCases: [String] = [
    // Titles.
    "Dr. Watson met Mr. Holmes.", "Mrs. Hudson let them in.", "Ms. Adler left.", "Prof. Moriarty fell.", "Rev. Green prayed.", "Gen. Grant won.",
    "Col. Sanders cooked.", "Capt. Nemo dived.", "Lt. Uhura called.", "Sgt. Pepper played.", "Sen. Warren spoke.", "Gov. Brown signed.",
    "Rep. Lewis marched.", "Hon. Judge Smith ruled.", "Pres. Lincoln wrote it.", "Adm. Nelson died.", "Maj. Tom left.", "Cpl. Jones ran.", "Pvt. Ryan lived.",
    "Messrs. Smith and Wesson met.", "Mme. Curie won twice.", "St. Paul wrote letters.", "Mt. Everest is high.", "Ft. Knox is safe.", "Fr. Brown solved it.",
    "Supt. Chalmers came.", "Insp. Morse drank.", "Cmdr. Riker sat.",
    // Initials.
    "J. S. Bach wrote it.", "J.R.R. Tolkien wrote it.", "George W. Bush spoke.", "Ask John F. Kennedy Jr. about it.", "C. S. Lewis and G. K. Chesterton met.",
    "Franklin D. Roosevelt won.", "W. E. B. Du Bois taught.", "It was P. G. Wodehouse who wrote it.", "H. G. Wells, E. M. Forster and D. H. Lawrence.",
    // Countries and offices.
    "The U.S. Navy sailed.", "The U.K. Parliament sat.", "The U.N. Security Council met.", "U.S. exports fell.", "The E.U. Commission agreed.", "Washington D.C. Mayor Bowser spoke.",
    "The U.S.S.R. Politburo met.", "A U.S. Supreme Court ruling.", "He is a U.S. citizen.", "The U.S.A. Team won.",
    // Latin and other short forms.
    "Use fruit, e.g. Apples.", "Use it, i.e. Install it.", "Bring pens, paper, etc. for the class.", "Smith et al. found it.", "It was Ali vs. Frazier.", "See cf. Smith 2001.",
    "It was approx. Five miles.", "Born ca. 1450 in Mainz.", "Two things, viz. Food and water.", "It holds approx. 5 l.", "A max. of 3 is allowed.", "The min. Age is 18.",
    "See ibid. p. 5.",
    // Before numbers.
    "No. 5 is alive.", "See Fig. 3 for that.", "Vol. 2 is out.", "See p. 7 and pp. 9-12.", "Ch. 4 explains it.", "Sec. 230 protects it.", "Eq. 7 holds.", "Art. 5 says so.",
    "Para. 3 is void.", "Op. 27 No. 2 is the Moonlight.", "It was Nos. 3 and 4.", "Ver. 2 is better.", "See Ref. 12.", "Tel. 555 0100 is free.", "Figs. 2 and 3 agree.", "See App. C of it.",
    "Pt. II follows.", "See Vol. IV of it.",
    // Months and days.
    "It was Jan. 5 then.", "On Feb. 29 it rained.", "By Sept. 11 they knew.", "In Dec. 1999 it ended.", "On Mon. Evening it rained.".replacing("Evening", with: "evening"), "Open Tue. to Fri. only.",
    "From Aug. 3 to Oct. 9.", "Since Nov. 2019 it is so.",
    // Firms.
    "Apple Inc. makes phones.", "Acme Ltd. Partners sued.", "Sears, Roebuck and Co. closed.", "Warner Bros. Pictures made it.", "Exxon Corp. Shares fell.", "Smith & Co. Lawyers won.",
    "Google LLC. sued.", "Tiffany & Co. Jewels.", "The Univ. of Texas won.", "The Dept. of Defense paid.", "The Intl. Olympic Committee met.",
    // Times.
    "He came at 5 p.m. Friday.", "It is 9 a.m. Eastern time.", "At 10.30 a.m. they left.", "From 8 a.m. to 5 p.m. daily.", "By 6 p.m. Paris time it was over.",
    // Numbers.
    "Pi is 3.14 or so.", "It costs $3.50 now.", "It rose 4.5% today.", "It is .5 or 0.5.", "Use 1.2.3 here.", "Version 10.15.7 works.", "It was 98.6 degrees.", "The IP is 192.168.0.1 here.",
    "In 1.234.567 cases it held.", "A 5.1 sound system.", "He ran 9.58 s.", "It is 3.5 in. Long.".replacing("Long", with: "long"), "At 40.7128 N it is.",
    // Addresses.
    "See www.example.com for it.", "Mail bob@example.co.uk today.", "Go to https://a.b/c.html?x=1.2 now.", "Open config.yaml first.", "Use node.js or vue.js here.", "Edit ~/.bashrc now.",
    "Run ./configure first.", "See /etc/nginx/nginx.conf for it.", "The file is a.tar.gz here.", "It is in foo.bar.baz() now.", "Amazon.com Inc. grew.", "Yahoo! Inc. shrank.",
    // Degrees.
    "She has a Ph.D. in physics.", "He has an M.D. degree.", "A B.A. degree helps.", "John Smith Jr. came.", "John Smith Sr. left.", "Jane Doe, M.D., spoke.", "Two Ph.D. Students left.".replacing("Students", with: "students"),
    "She took an M.Sc. course.", "Smith, Esq. came.",
    // Streets.
    "He lives on Main St. in town.", "He lives at 5 Elm St. near me.", "Fifth Ave. Shops are dear.", "On Sunset Blvd. Gloria waits.", "In St. Louis it rained.", "The Rd. ends here.".replacing("The Rd.", with: "Oak Rd."),
    // Ellipses and marks.
    "Wait... what is it?", "I... I don't know.", "So… it goes on.", "Well ... maybe.", "\"Help!\" he cried.", "\"Why?\" she asked.", "Is it (really?) true?", "He said \"No!\" and left.",
    "The band Wham! sang.".replacing("sang", with: "sang"), "Who is Guess Who? asked he.".replacing("Guess Who", with: "guess who"), "The show Jeopardy! is on.", "\"It's over...\" he sighed.",
    "What?! asked he.", "\"Come here. Sit down,\" she said.", "He wrote \"I came. I saw. I won.\" on it.", "(See below. It is there.) they said.",
    // Lists and citations.
    "1. Install the program.", "2) Start it.", "It is so [1]. |Then it ends.", "It fell.[2] |It rose.[3] |It stays.", "The claim (Smith, 2001, p. 5) holds.", "A. Smith and B. Jones wrote it.",
    "Vitamin B. is good.".replacing("B. is", with: "B is"), "Plan B. is here.".replacing("B. is", with: "B is"),
    // Real ends beside false ones.
    "He lives in the U.S. |It is large.", "He came at 5 p.m. |Then he left.", "She works for Apple Inc. |She likes it.", "They sell pens, etc. |They are cheap.", "He is a Ph.D. |He teaches.",
    "It ends in Dec. |The rest is free.", "I saw J. |He was well.".replacing("J.", with: "Jay."), "Really? |Yes! |Good.", "Go home!!! |Now.", "He said \"no.\" |She said \"yes.\"", "It is 5. |It was 4.",
    "It cost $5. |That was cheap.", "Is it 3.5? |It is 4.", "Read e.g. Kant. |Then rest.", "See Fig. 3. |It is clear.", "He paid Mr. Smith. |Mr. Smith left.", "Use v1.2. |Then 1.3.",
    "He lives at 1428 Elm St. |It was strange.", "Meet me at 5 Oak Dr. |The door is open.", "It is done. |\"Is it?\" |\"It is.\"", "Go. |Run. |Hide.", "Stop it, Dr. No! |Never.", "The war ended in 1945. |Peace came.",
    "Call 555-0100. |Ask for Al.", "We met at St. Mary's. |It was cold.", "The temperature is 20 °C. |It is warm.", "He earned 5%. |She earned 6%.", "It was item no. |That was all.".replacing("no. |That", with: "two. |That"),
    "It runs on Windows 11. |Mac users wait.", "Born in 1950 B.C. |They say so.", "I like C++. |You like C#.", "The answer is yes. |No. |Maybe.", "Tom (b. 1950) sings. |Al (d. 1999) sang.",
]

@Suite struct SentenceHardCasesTests {
    @Test("there are at least 150 of them")
    func count() { #expect(hardCases.count >= 150) }

    @Test("no sentence is cut where none ends, and each end is seen", arguments: hardCases)
    func hardCase(marked: String) {
        let expected = marked.split(separator: "|").map { part in
            String(part.drop(while: \.isWhitespace)).split(separator: "\n").joined(separator: "\n")
        }.map { $0.last == " " ? String($0.dropLast()) : $0 }
        #expect(SentenceSplitter.sentences(marked.filter { $0 != "|" }) == expected)
    }

    @Test("none of them is cut falsely in the middle of running text either", arguments: hardCases)
    func embedded(marked: String) {
        let text = "This is the beginning of it. " + marked.filter { $0 != "|" } + " They all went home."
        let ends = marked.count(where: { $0 == "|" }) + 3
        #expect(SentenceSplitter.sentences(text).count <= ends)
    }
}
