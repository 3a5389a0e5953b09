/// The names of units of measure by their signs.
enum MeasureUnits {
    /// The pattern of every sign, longest first, for use after a number.
    static let pattern = signs.keys.sorted { ($0.count, $0) > ($1.count, $1) }.map { $0.replacing("/", with: "\\/") }.joined(separator: "|")

    /// A unit's name; `nil` for what is no unit.
    ///
    /// A sign in the wrong case ("KG", "mhz") is understood where no other unit is meant by it.
    static func name(_ sign: String, isOne: Bool) -> String? {
        guard let unit = signs[sign] ?? signs[sign.lowercased()] ?? folded[sign.lowercased()] else { return nil }
        return isOne ? unit.one : unit.many
    }

    private typealias Unit = (one: String, many: String)

    private static let signs: [String: Unit] = {
        var signs: [String: Unit] = [
            "kph": ("kilometer per hour", "kilometers per hour"), "mph": ("mile per hour", "miles per hour"), "rpm": ("revolution per minute", "revolutions per minute"),
            "bpm": ("beat per minute", "beats per minute"), "fps": ("frame per second", "frames per second"), "mpg": ("mile per gallon", "miles per gallon"),
            "psi": ("pound per square inch", "pounds per square inch"), "dpi": ("dot per inch", "dots per inch"), "ppi": ("pixel per inch", "pixels per inch"),
            "ppm": ("part per million", "parts per million"), "ppb": ("part per billion", "parts per billion"),
            "ft": ("foot", "feet"), "lbs": ("pound", "pounds"), "lb": ("pound", "pounds"), "oz": ("ounce", "ounces"), "yd": ("yard", "yards"), "yds": ("yard", "yards"),
            "mi": ("mile", "miles"), "gal": ("gallon", "gallons"), "qt": ("quart", "quarts"), "tsp": ("teaspoon", "teaspoons"), "tbsp": ("tablespoon", "tablespoons"),
            "fl oz": ("fluid ounce", "fluid ounces"), "hp": ("horsepower", "horsepower"), "min": ("minute", "minutes"), "mins": ("minute", "minutes"),
            "hrs": ("hour", "hours"), "hr": ("hour", "hours"), "sec": ("second", "seconds"), "secs": ("second", "seconds"), "px": ("pixel", "pixels"),
            "ha": ("hectare", "hectares"), "cc": ("CC", "CC"), "au": ("astronomical unit", "astronomical units"), "ly": ("light year", "light years"),
            "atm": ("atmosphere", "atmospheres"), "mmHg": ("millimeter of mercury", "millimeters of mercury"), "dB": ("decibel", "decibels"), "hPa": ("hectopascal", "hectopascals"),
            "°C": ("degree Celsius", "degrees Celsius"), "°F": ("degree Fahrenheit", "degrees Fahrenheit"), "° C": ("degree Celsius", "degrees Celsius"),
            "° F": ("degree Fahrenheit", "degrees Fahrenheit"), "ºC": ("degree Celsius", "degrees Celsius"), "ºF": ("degree Fahrenheit", "degrees Fahrenheit"),
            "°": ("degree", "degrees"), "º": ("degree", "degrees"), "%": ("percent", "percent"), "‰": ("per mille", "per mille"), "wk": ("week", "weeks"),
            "wks": ("week", "weeks"), "yr": ("year", "years"), "yrs": ("year", "years"), "mos": ("month", "months"), "kt": ("knot", "knots"), "kts": ("knot", "knots"),
            "h": ("hour", "hours"), "s": ("second", "seconds"), "m": ("meter", "meters"), "g": ("gram", "grams"), "l": ("liter", "liters"), "L": ("liter", "liters"),
            "W": ("watt", "watts"), "V": ("volt", "volts"), "Hz": ("hertz", "hertz"), "Ω": ("ohm", "ohms"), "Pa": ("pascal", "pascals"), "Wh": ("watt hour", "watt hours"),
            "kb": ("kilobit", "kilobits"), "mb": ("megabyte", "megabytes"), "gb": ("gigabyte", "gigabytes"), "tb": ("terabyte", "terabytes"), "pb": ("petabyte", "petabytes"),
            "mcg": ("microgram", "micrograms"), "kcal": ("kilocalorie", "kilocalories"), "cal": ("calorie", "calories"), "mol": ("mole", "moles"), "eV": ("electron volt", "electron volts"),
            "sq": ("square", "square"), "acre": ("acre", "acres"),
        ]
        let prefixes: [(String, String)] = [("k", "kilo"), ("M", "mega"), ("G", "giga"), ("m", "milli"), ("µ", "micro"), ("μ", "micro"), ("n", "nano"), ("T", "tera"), ("P", "peta")]
        // Which prefixes a base takes; what nobody writes is left out, so that words are not taken for units.
        let bases: [(String, Unit, String)] = [
            ("m", ("meter", "meters"), "kmµμn"), ("g", ("gram", "grams"), "kmµμn"), ("W", ("watt", "watts"), "kMGmT"), ("V", ("volt", "volts"), "kMmµμ"),
            ("A", ("ampere", "amperes"), "mkµμ"), ("Hz", ("hertz", "hertz"), "kMGT"), ("J", ("joule", "joules"), "kMGm"), ("Pa", ("pascal", "pascals"), "kMG"),
            ("L", ("liter", "liters"), "mkµμ"), ("l", ("liter", "liters"), "mkµμ"), ("Ω", ("ohm", "ohms"), "kM"), ("Wh", ("watt hour", "watt hours"), "kMGTm"),
            ("B", ("byte", "bytes"), "kMGTP"), ("bit", ("bit", "bits"), "kMGT"), ("bps", ("bit per second", "bits per second"), "kMGT"), ("b", ("bit", "bits"), "MGT"),
            ("s", ("second", "seconds"), "mµμn"), ("eV", ("electron volt", "electron volts"), "kMGTm"), ("mol", ("mole", "moles"), "mµμ"), ("N", ("newton", "newtons"), "kM"),
            ("F", ("farad", "farads"), "mµμn"), ("t", ("ton", "tons"), "M"),
        ]
        for (base, unit, allowed) in bases {
            for (sign, name) in prefixes where allowed.contains(sign) {
                signs[sign + base] = (name + unit.one, name + unit.many)
            }
        }
        signs["cm"] = ("centimeter", "centimeters")
        signs["dm"] = ("decimeter", "decimeters")
        signs["cl"] = ("centiliter", "centiliters")
        signs["dL"] = ("deciliter", "deciliters")
        signs["dl"] = ("deciliter", "deciliters")
        signs["KB"] = ("kilobyte", "kilobytes")
        for (sign, name) in [("K", "kibi"), ("M", "mebi"), ("G", "gibi"), ("T", "tebi")] { signs[sign + "iB"] = (name + "byte", name + "bytes") }
        for (sign, length) in [
            ("m", ("meter", "meters")), ("km", ("kilometer", "kilometers")), ("cm", ("centimeter", "centimeters")), ("mm", ("millimeter", "millimeters")),
            ("ft", ("foot", "feet")), ("mi", ("mile", "miles")), ("in", ("inch", "inches")), ("yd", ("yard", "yards")),
        ] {
            let square = ("square " + length.0, "square " + length.1)
            let cubic = ("cubic " + length.0, "cubic " + length.1)
            for mark in ["²", "2"] where sign != "in" || mark == "²" { signs[sign + mark] = square }
            for mark in ["³", "3"] where sign != "in" || mark == "³" { signs[sign + mark] = cubic }
            signs["sq " + sign] = square
            signs["sq. " + sign] = square
            signs["cu " + sign] = cubic
        }
        signs["sq"] = nil
        return signs
    }()

    /// Signs that mean one thing only, whatever their case.
    private static let folded: [String: Unit] = {
        var folded: [String: Unit] = [:]
        for (sign, unit) in signs.sorted(by: { $0.key > $1.key }) where sign.count > 1 && folded[sign.lowercased()] == nil { folded[sign.lowercased()] = unit }
        return folded
    }()
    static let foldedPattern = folded.keys.sorted { ($0.count, $0) > ($1.count, $1) }.map { $0.replacing("/", with: "\\/") }.joined(separator: "|")
}
