extension EnglishNormalizer {
    /// Abbreviations that stand before a number only.
    private static let beforeNumbers: [(String, String)] = [
        ("Pt\\.(?= \\d)", "part"), ("ca\\.(?= ?\\d)", "about"), ("[Nn]o\\.(?= ?\\d)", "number"), ("[Nn]os\\.(?= ?\\d)", "numbers"),
        ("[Ff]ig\\.(?= ?\\d)", "figure"), ("[Ff]igs\\.(?= ?\\d)", "figures"), ("[Vv]ol\\.(?= ?[\\dIVXLC])", "volume"), ("[Vv]ols\\.(?= ?[\\dIVXLC])", "volumes"),
        ("pp\\.(?= ?\\d)", "pages"), ("p\\.(?= ?\\d)", "page"), ("[Cc]h(?:ap)?\\.(?= ?\\d)", "chapter"), ("[Ss]ect?\\.(?= ?\\d)", "section"),
        ("[Ee]qs?\\.(?= ?\\d)", "equation"), ("[Aa]rt\\.(?= ?\\d)", "article"), ("[Pp]ara\\.(?= ?\\d)", "paragraph"),
        ("[Rr]ef\\.(?= ?\\d)", "reference"), ("[Ee]xt\\.(?= ?\\d)", "extension"), ("est\\.(?= ?\\d)", "established"),
    ]
    /// Pattern and words; matched as a whole word, and in lower case where the pattern says so.
    private static let abbreviations: [(String, String)] = [
        ("[Dd]r\\.?(?= [A-Za-z&])", "Doctor"), ("[Mm]r\\.?(?= [A-Za-z&])", "Mister"), ("[Mm]rs\\.?(?= [A-Za-z])", "Missus"),
        ("[Mm]s\\.(?= [A-Za-z])|Ms(?= [A-Z])", "Miz"), ("[Pp]rof\\.", "Professor"), ("Rev\\.", "Reverend"), ("Gen\\.", "General"),
        ("Col\\.", "Colonel"), ("Capt\\.", "Captain"), ("Cmdr\\.", "Commander"), ("Lt\\.", "Lieutenant"), ("Sgt\\.", "Sergeant"),
        ("Maj\\.", "Major"), ("Adm\\.", "Admiral"), ("Cpl\\.", "Corporal"), ("Pvt\\.", "Private"), ("Pres\\.", "President"),
        ("Supt\\.", "Superintendent"), ("Sen\\.", "Senator"), ("Rep\\.(?= [A-Z])", "Representative"), ("Gov\\.", "Governor"),
        ("Hon\\.", "Honorable"), ("Messrs\\.", "Messieurs"), ("Jr\\.", "Junior"), ("Sr\\.", "Senior"), ("[Ss]t\\.(?= [A-Za-z])", "Saint"),
        ("Sts\\.(?= [A-Z])", "Saints"), ("Mt\\.(?= [A-Z])", "Mount"), ("Ft\\.(?= [A-Z])", "Fort"), ("e\\.g\\.|eg\\.", "for example"),
        ("i\\.e\\.", "that is"), ("etc\\.", "et cetera"), ("vs\\.?", "versus"), ("v\\.(?= [A-Z])", "versus"), ("cf\\.", "compare"),
        ("viz\\.", "namely"), ("approx\\.?", "approximately"), ("esp\\.", "especially"), ("incl\\.", "including"), ("excl\\.", "excluding"),
        ("misc\\.", "miscellaneous"), ("max\\.", "maximum"), ("avg\\.", "average"), ("Inc\\.", "Incorporated"), ("Ltd\\.", "Limited"),
        ("Corp\\.", "Corporation"), ("Bros\\.", "Brothers"), ("Co\\.(?! [a-z])", "Company"), ("et al\\.", "and others"), ("[Tt]el\\.", "telephone"),
        ("[Ee]d\\.(?= by)", "edited"), ("w/o", "without"), ("w/(?= |[a-z])", "with "), ("b/c", "because"), ("c/o", "care of"),
        ("N/A|n/a", "not applicable"), ("Ph\\.D\\.?", "PhD"), ("M\\.Sc\\.?", "MSc"), ("B\\.Sc\\.?", "BSc"), ("a\\.k\\.a\\.", "also known as"),
        ("Ave\\.", "Avenue"), ("Blvd\\.", "Boulevard"), ("Rd\\.", "Road"), ("Hwy\\.", "Highway"), ("[Dd]ept\\.", "Department"),
        ("Univ\\.", "University"), ("Assn\\.", "Association"), ("[Gg]ovt\\.", "government"), ("Intl\\.", "International"), ("Mon\\.", "Monday"),
        ("Tues?\\.", "Tuesday"), ("Wed\\.", "Wednesday"), ("Thurs?\\.|Thu\\.", "Thursday"), ("Fri\\.", "Friday"), ("Sat\\.(?= |-|,)", "Saturday"),
        ("Sun\\.(?= |-|,)", "Sunday"), ("min\\.(?= [a-z])", "minutes"), ("b\\.(?= \\d{4})", "born"), ("d\\.(?= \\d{4})", "died"), ("tv", "TV"),
        ("ssn", "SSN"), ("S&P", "S and P"), ("AT&T", "A T and T"), ("P\\.S\\.", "P S"), ("P\\.O\\.(?= Box)|PO(?= Box)", "P O"),
    ]

    private static func rule(_ pattern: String, _ words: String) -> TextRule {
        TextRule("(?<![\\w./])(?:\(pattern))(?![\\w])", { groups in
            groups[0].first?.isUppercase == true ? words.prefix(1).uppercased() + words.dropFirst() : words
        })
    }

    /// To be applied while the digits are still digits.
    static let numberedRules: [TextRule] =
        beforeNumbers.map(rule) + [
            // "5 ft. 6 in. tall": no sentence ends there.
            TextRule("(?<=\\d) ?in\\.(?= [a-z(]|[,;)])", needsDigit: true, to: " inches"),
            TextRule("(?<=\\d) ?(ft|feet|foot)\\.?,? (\\d{1,2}(?:\\.\\d+)?) in\\b\\.?(?!\\w)", needsDigit: true, to: " $1 $2 inches"),
            TextRule("(?<=\\d) ?(ft|lbs?|oz|yds?|mi|hrs?|min|sec|gal|qt|tsp|tbsp)\\.(?= [a-z\\d(]|[,;)])", needsDigit: true, to: " $1"),
            TextRule(
                "\\b([Rr]oom|[Ff]light|[Rr]oute|[Gg]ate|[Ss]uite|[Aa]pt\\.?|[Aa]partment|[Bb]us|[Cc]hannel|[Pp]ort|Boeing|Airbus|Interstate|Exit) (\\d{3,4})(?![\\w]|[.,:]\\d)",
                needsDigit: true, { "\($0[1]) \(NumberWords.label($0[2]))" }),
        ]

    static let abbreviationRules: [TextRule] =
        abbreviations.map(rule) + [
            TextRule("\\bthe WHO\\b", to: "the W H O"),
            TextRule("(?<!\\w)7-[Ee]leven\\b", needsDigit: true, to: "seven eleven"),
            // The point of an abbreviation that ends the text ends its sentence too.
            TextRule("\\b(?:[A-Z]\\.){2,}(?=\\s+[A-Z][a-z]|\\s*$)", { groups in groups[0].filter { $0 != "." } + "." }),
            TextRule("\\b(?:[A-Z]\\.){2,}[A-Z]?", { $0[0].filter { $0 != "." } }),
            TextRule("\\b([A-Z])\\.([A-Z])\\b(?!\\w)", to: "$1$2"),
        ]
}
