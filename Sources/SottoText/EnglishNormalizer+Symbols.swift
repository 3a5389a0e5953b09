extension EnglishNormalizer {
    private static let greek: [Character: String] = [
        "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda",
        "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
        "Γ": "gamma", "Δ": "delta", "Θ": "theta", "Λ": "lambda", "Ξ": "xi", "Π": "pi", "Σ": "sigma", "Φ": "phi", "Ψ": "psi", "Ω": "omega",
    ]

    /// Signs that are words, and signs that are nothing to the ear.
    static let symbolRules: [TextRule] = [
        TextRule(" ?(?:!=|≠) ?", to: " is not equal to "), TextRule(" ?(?:<=|≤) ?", to: " is at most "), TextRule(" ?(?:>=|≥) ?", to: " is at least "),
        TextRule(" ?(?:=>|->|→|⇒|⟶) ?", to: ", "), TextRule(" ?(?:<-|←) ?", to: ", "), TextRule(" ?={1,3} ?", to: " equals "),
        TextRule("(?<=[\\w)]) ?[×✕] ?(?=[\\w(])", to: " times "), TextRule(" ?÷ ?", to: " divided by "), TextRule(" ?[≈≃] ?", to: " about "),
        TextRule(" ?± ?", to: " plus or minus "), TextRule("√", to: " the square root of "), TextRule("∞", to: " infinity "), TextRule("∑", to: " the sum of "), TextRule("∫", to: " the integral of "),
        TextRule(" < (?=\\S)", to: " less than "), TextRule(" > (?=\\S)", to: " greater than "),
        TextRule("(?<![\\p{Greek}])[\\p{Greek}µ](?![\\p{Greek}])", { groups in groups[0].first.flatMap { greek[$0] }.map { " \($0) " } }),
        TextRule("[$€£¥₩₹₽₺₪฿₫₱₴₿]", { groups in currencyName(groups[0]).map { " \($0) " } }), TextRule("¢", to: " cent "),
        TextRule(" ?& ?", to: " and "), TextRule("%", to: " percent "), TextRule("‰", to: " per mille "), TextRule("§§? ?", to: "section "), TextRule("@", to: " at "),
        TextRule("(?<![\\w#])#(?=[A-Za-z])", to: "hashtag "), TextRule("#", to: " hash "),
        TextRule("[©®™]", to: ""), TextRule("[°º]", to: " degrees "),
        TextRule("\\b(and|or|he|his|him)/(or|and|she|her|hers)\\b", ignoringCase: true, { groups in groups[1].lowercased() == "and" || groups[1].lowercased() == "or" ? "\(groups[1]) \(groups[2])" : "\(groups[1]) or \(groups[2])" }),
        TextRule("(?<!<) ?/ ?(?![\\w ]*>)(?=[\\w ]|$)", to: " slash "), TextRule("(?<=\\w)/(?= )", to: " slash "),
        TextRule(" ?\\|+ ?", to: ", "), TextRule("[~^{}\\\\]", to: " "), TextRule("(?<!\\w)\\*+|\\*+(?!\\w)", to: ""),
        TextRule("\\.{4,}", to: "..."), TextRule("(?<=\\w)- (?=[a-z])|(?<=\\w) -(?=[a-z])", to: "-"), TextRule("[ \\t]{2,}", to: " "), TextRule(" (?=[,;:.!?](?:\\s|$))", to: ""), TextRule("(?<=[\\w)]),(?:\\s*,)+", to: ","),
    ]
}
