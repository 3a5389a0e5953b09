extension EnglishNormalizer {
    private static let streets = [
        "st": "Street", "ave": "Avenue", "blvd": "Boulevard", "rd": "Road", "ln": "Lane", "hwy": "Highway", "expy": "Expressway", "pkwy": "Parkway",
        "ct": "Court", "pl": "Place", "sq": "Square", "ter": "Terrace", "cir": "Circle", "dr": "Drive", "fwy": "Freeway",
    ]
    private static let directions = [
        "N": "North", "S": "South", "E": "East", "W": "West", "NE": "Northeast", "NW": "Northwest", "SE": "Southeast", "SW": "Southwest",
    ]
    private static let states = [
        "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado", "CT": "Connecticut",
        "DE": "Delaware", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa",
        "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan",
        "MN": "Minnesota", "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
        "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma",
        "OR": "Oregon", "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas",
        "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
    ]
    /// Codes that are words as well: a state only before its postal code.
    private static let wordsToo: Set<String> = ["OK", "HI", "ME", "OR", "IN", "LA", "ID", "MA", "PA"]

    private static let suffixes = "(?:" + streets.keys.sorted { $0.count > $1.count }.joined(separator: "|") + ")"

    /// Houses, streets and states.
    static let addressRules: [TextRule] = [
        TextRule(
            "(?<![\\w.,-])(\\d{1,5})((?: (?:[NSEW]|N[EW]|S[EW])\\.?)?)((?: (?:[A-Z][a-z']+|\\d{1,3}(?:st|nd|rd|th))){1,4}) ((?i:\(suffixes)))\\b(?:\\.(?=[ ,;)]|$))?(?! ?[A-Z][a-z]+ (?:said|says))",
            needsDigit: true,
            { groups in
                let direction = groups[2].filter(\.isLetter)
                guard groups[4].first?.isUppercase == true || groups[4].count > 2, let street = streets[groups[4].lowercased()] else { return nil }
                return NumberWords.label(groups[1]) + (directions[direction].map { " " + $0 } ?? "") + groups[3] + " " + street
            }),
        TextRule("(?<=[A-Z][a-z]{1,20} |\\d(?:st|nd|rd|th) )St\\.?(?=$|[,;)]| (?:[a-z(\\d]|[A-Z]{2}\\b))", to: "Street"),
        TextRule("\\b(US |State )?(?:Hwy|Highway)\\.? (\\d{1,4})\\b", needsDigit: true, { "\($0[1])Highway \(NumberWords.label($0[2]))" }),
        TextRule("\\bI-(\\d{1,3})\\b(?!-)", needsDigit: true, { "I \(NumberWords.label($0[1]))" }),
        TextRule(",? ([A-Z]{2}),? (\\d{5})(?:-(\\d{4}))?(?![\\w-]|[.,]\\d)", needsDigit: true, { groups in
            guard let state = states[groups[1]] else { return nil }
            let more = groups[3].isEmpty ? "" : ", " + NumberWords.digits(groups[3])
            return ", \(state), ".dropLast(2) + (groups[0].contains("\(groups[1]),") ? ", " : " ") + NumberWords.digits(groups[2]) + more
        }),
        TextRule("(?<=[A-Z][a-z]{1,20}), ([A-Z]{2})(?=$|[,;)]|\\.?$)", { groups in
            guard wordsToo.contains(groups[1]) == false || groups[1] == "PA", let state = states[groups[1]] else { return nil }
            return ", " + state
        }),
    ]
}
