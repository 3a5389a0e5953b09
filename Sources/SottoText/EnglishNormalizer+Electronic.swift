extension EnglishNormalizer {
    /// Addresses, paths, options, names of files.
    static let electronicRules: [TextRule] = [
        TextRule("\\b[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+(?:/[\\w./-]*\\w)?", { ElectronicWords.token($0[0], saysHyphens: true) }),
        TextRule("\\b(?:https?://|ftp://|www\\.)[^\\s<>\"]*[^\\s<>\".,;:!?)\\]']/?", ignoringCase: true, { ElectronicWords.address($0[0]) }),
        TextRule("\\b[a-z][\\w-]*(?:\\.[\\w-]+)*:(\\d{2,5})(?:/[\\w./-]*)?(?![\\w:])", needsDigit: true, { ElectronicWords.token($0[0]) }),
        TextRule("(?<![\\w/.~-])(?<!\\d )(?:~|\\.{1,2})?/(?:[\\w.@+-]+/?)+(?<![.])", { groups in
            groups[0].contains(where: \.isLetter) ? ElectronicWords.token(groups[0]) : nil
        }),
        TextRule("(?<=[\\s(])--?[A-Za-z][\\w-]*(?:=[\\w./:-]*\\w)?", { ElectronicWords.token($0[0]) }),
        TextRule(
            "\\b(?<!\\b[AaPp]\\.)(?!(?:e\\.g|i\\.e|a\\.m|p\\.m|a\\.k|p\\.s)\\b)[A-Za-z][\\w-]*(?:\\.[\\w-]+)*\\.[a-z][a-z0-9]{0,7}(?:/[\\w./-]*\\w(?:\\?[\\w=&%+.-]*\\w)?)?(?![\\w]|\\.[A-Za-z])",
            { groups in
                // "U.S.a" and initials are not names of files, and "p.m.est" is a time.
                let labels = groups[0].lowercased().split(separator: ".")
                let isTime = labels.starts(with: ["a", "m"]) || labels.starts(with: ["p", "m"])
                return isTime || labels.allSatisfy({ $0.count == 1 }) ? nil : ElectronicWords.token(groups[0])
            }),
        TextRule("(?<=\\w)_(?=\\w)", to: " underscore "),
    ]
}
