extension EnglishNormalizer {
    private typealias Currency = (one: String, many: String, cent: String, cents: String)
    private static let currencies: [String: Currency] = [
        "$": ("dollar", "dollars", "cent", "cents"), "US$": ("US dollar", "US dollars", "cent", "cents"), "€": ("euro", "euros", "cent", "cents"),
        "C$": ("Canadian dollar", "Canadian dollars", "cent", "cents"), "A$": ("Australian dollar", "Australian dollars", "cent", "cents"),
        "NZ$": ("New Zealand dollar", "New Zealand dollars", "cent", "cents"), "HK$": ("Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
        "S$": ("Singapore dollar", "Singapore dollars", "cent", "cents"), "R$": ("real", "reais", "centavo", "centavos"),
        "£": ("pound", "pounds", "penny", "pence"), "¥": ("yen", "yen", "sen", "sen"), "₩": ("won", "won", "jeon", "jeon"),
        "₹": ("rupee", "rupees", "paisa", "paise"), "₽": ("ruble", "rubles", "kopeck", "kopecks"), "₺": ("lira", "lira", "kurush", "kurush"),
        "₪": ("shekel", "shekels", "agora", "agorot"), "฿": ("baht", "baht", "satang", "satang"), "₫": ("dong", "dong", "xu", "xu"),
        "₱": ("peso", "pesos", "centavo", "centavos"), "₴": ("hryvnia", "hryvnias", "kopiyka", "kopiykas"), "₿": ("bitcoin", "bitcoins", "satoshi", "satoshis"),
        "USD": ("US dollar", "US dollars", "cent", "cents"), "EUR": ("euro", "euros", "cent", "cents"), "AUD": ("Australian dollar", "Australian dollars", "cent", "cents"),
        "CAD": ("Canadian dollar", "Canadian dollars", "cent", "cents"), "NZD": ("New Zealand dollar", "New Zealand dollars", "cent", "cents"),
        "GBP": ("British pound", "British pounds", "penny", "pence"), "CHF": ("Swiss franc", "Swiss francs", "centime", "centimes"),
        "JPY": ("yen", "yen", "sen", "sen"), "CNY": ("yuan", "yuan", "fen", "fen"), "RMB": ("renminbi", "renminbi", "fen", "fen"),
        "INR": ("rupee", "rupees", "paisa", "paise"), "KRW": ("won", "won", "jeon", "jeon"), "SEK": ("Swedish krona", "Swedish kronor", "öre", "öre"),
        "NOK": ("Norwegian krone", "Norwegian kroner", "øre", "øre"), "DKK": ("Danish krone", "Danish kroner", "øre", "øre"),
        "PLN": ("zloty", "zlotys", "grosz", "groszy"), "BRL": ("real", "reais", "centavo", "centavos"), "MXN": ("Mexican peso", "Mexican pesos", "centavo", "centavos"),
        "RUB": ("ruble", "rubles", "kopeck", "kopecks"), "ZAR": ("rand", "rand", "cent", "cents"), "SGD": ("Singapore dollar", "Singapore dollars", "cent", "cents"),
    ]
    private static let magnitudes = [
        "k": "thousand", "m": "million", "mn": "million", "mm": "million", "b": "billion", "bn": "billion", "t": "trillion", "tn": "trillion",
    ]
    private static let symbol = "(?:US\\$|NZ\\$|HK\\$|[CASR]\\$|[$€£¥₩₹₽₺₪฿₫₱₴₿])"
    private static let code = "(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|KRW|AUD|CAD|NZD|SEK|NOK|DKK|PLN|BRL|MXN|RUB|ZAR|SGD)"
    private static let magnitude = "(?:[ -]?(thousand|million|billion|trillion|bn|mn|tn|[kmbt])\\b)"

    /// The name of a currency's sign that stands alone.
    static func currencyName(_ sign: String) -> String? { currencies[sign]?.one }

    private static func money(_ symbol: String, _ amount: String, _ magnitude: String) -> String? {
        guard let currency = currencies[symbol.uppercased()] else { return nil }
        if magnitude.isEmpty == false {
            let scale = magnitudes[magnitude.lowercased()] ?? magnitude.lowercased()
            return "\(NumberWords.number(amount)) \(scale) \(currency.many)"
        }
        let parts = amount.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts[0].isEmpty ? "0" : String(parts[0])
        let cents = parts.count > 1 ? parts[1] : ""
        guard cents.isEmpty == false else { return "\(NumberWords.number(whole)) \(whole == "1" ? currency.one : currency.many)" }
        let kept = cents.count > 2 && cents.dropFirst(2).allSatisfy { $0 == "0" } ? cents.prefix(2) : cents
        guard kept.count <= 2, let value = Int(kept.count == 1 ? kept + "0" : kept) else {
            return "\(NumberWords.number(amount)) \(currency.many)"
        }
        let minor = "\(NumberWords.cardinal(value)) \(value == 1 ? currency.cent : currency.cents)"
        let major = "\(NumberWords.number(whole)) \(whole == "1" ? currency.one : currency.many)"
        if value == 0 { return major }
        return whole.allSatisfy({ $0 == "0" }) ? minor : "\(major) \(minor)"
    }

    private static let periods = [
        "mo": "month", "d": "day", "yr": "year", "y": "year", "h": "hour", "hr": "hour", "wk": "week", "min": "minute", "sec": "second", "s": "second",
    ]

    static let moneyRules: [TextRule] = [
        // The sign written twice is said twice.
        TextRule("(\(symbol))(\(number)) ?- ?(\(symbol))(\(number))\(magnitude)?", ignoringCase: true, needsDigit: true, { groups in
            guard let from = money(groups[1], groups[2], groups[5]), let to = money(groups[3], groups[4], groups[5]) else { return nil }
            return "\(from) to \(to)"
        }),
        TextRule("(\(symbol))(\(number)) ?- ?(\(number))\(magnitude)?(?![\\w]|-)", ignoringCase: true, needsDigit: true, { groups in
            money(groups[1], groups[3], groups[4]).map { "\(NumberWords.number(groups[2])) to \($0)" }
        }),
        // "a $20 bill", "a $5-million house": the name of the currency stays singular before what it measures.
        TextRule("(\(symbol))(\(number))(?:-(thousand|million|billion|trillion)\\b|(?=-a-)|(?= (?:bill|note|coin|gift|banknote)\\b))", needsDigit: true, { groups in
            guard let currency = currencies[groups[1]], groups[2].contains(".") == false else { return nil }
            let scale = groups[3].isEmpty ? "" : " " + (magnitudes[groups[3].lowercased()] ?? groups[3])
            return "\(NumberWords.number(groups[2]))\(scale) \(currency.one)"
        }),
        TextRule("(?<![\\w$])(-?)(\(symbol)) ?(-?)(\(number))\(magnitude)?(?![\\w])", ignoringCase: true, needsDigit: true, { groups in
            money(groups[2], groups[4], groups[5]).map { (groups[1].isEmpty && groups[3].isEmpty ? "" : "minus ") + $0 }
        }),
        TextRule("(?<![\\w$])(\(symbol)) ?(\(number))(?=[a-z])", ignoringCase: true, needsDigit: true, { groups in money(groups[1], groups[2], "").map { $0 + " " } }),
        TextRule("\\b(\(code)) ?(\(number))\(magnitude)?(?![\\w])", needsDigit: true, { money($0[1], $0[2], $0[3]) }),
        TextRule("\(start)(\(number))\(magnitude)? ?(\(code)|[€£¥₩₽₺₪₫₱₴₿])(?!\\w)", needsDigit: true, { money($0[3], $0[1], $0[2]) }),
        TextRule("\(start)(\(number)) ?¢", needsDigit: true, { "\(NumberWords.number($0[1])) cent\($0[1] == "1" ? "" : "s")" }),
        TextRule("\(start)(\\d{1,2})p(?!\\w)", needsDigit: true, { $0[1] == "1" ? "one penny" : "\(NumberWords.number($0[1])) pence" }),
        TextRule(
            "(dollars?|euros?|pounds?|yen|cents?|million|billion|pence)/(mo|month|d|day|yr|y|year|h|hr|hour|wk|week|min|sec|s|person|night|user|item|kg|km|kWh|GB|lb|oz|gal|sq ft|m²|ft²)\\b",
            { groups in "\(groups[1]) per \(periods[groups[2]] ?? MeasureUnits.name(groups[2], isOne: true) ?? groups[2])" }),
    ]
}
