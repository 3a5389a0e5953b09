extension EnglishNormalizer {
    /// What is numbered, not named: "Chapter four", "World War two".
    private static let numbered =
        "(?:Chapter|Part|Section|Volume|Vol\\.|Book|Act|Scene|Appendix|Article|Figure|Table|War|Type|Phase|Class|Level|Stage|Grade|Title|Bowl|Unit|Module|Case|Schedule|Annex|Canto|Tier|Group|Category|Symphony|Olympiad|Mark|Round|Division|Corps|Fantasy|Episode|Generation|Gen|Apollo|Saturn|Vatican)"
    /// Given names that kings, popes and sons bear.
    private static let regnal =
        "(?:Henry|Louis|George|Elizabeth|John|Paul|Pius|Charles|James|William|Edward|Richard|Philip|Frederick|Napoleon|Alexander|Nicholas|Catherine|Benedict|Gregory|Innocent|Leo|Clement|Ramses|Ramesses|Otto|Ivan|Peter|Mary|Ferdinand|Francis|Alfonso|Carlos|Juan|Ptolemy|Darius|Xerxes|Mehmed|Murad|Selim|Wilhelm|Friedrich|Christian|Gustav|Oscar|Harald|Olaf|Umberto|Emmanuel|Leopold|Albert|Baldwin|Rudolf|Maximilian|Joseph|Boniface|Urban|Sixtus|Julius|Adrian|Celestine|Honorius|Eugene|Callixtus|Nero|Theodosius|Constantine|Basil|Michael|Stephen|Casimir|Sigismund|Robert|David|Malcolm|Kenneth|Sam|Thomas|Margaret|Isabella|Joanna|Anne|Victor|Pedro|Afonso|Manuel|Abdul|Hamid|Mohammed|Hassan|Hussein|Rama|Haakon|Valdemar|Eric|Magnus|Thutmose|Amenhotep|Seti|Cleopatra|Antiochus|Seleucus|Mithridates|Tigranes|Cyrus|Artaxerxes|Shapur|Khosrow|Conrad|Lothair|Heraclius|Justinian|Leon|Matthias|Ladislaus|Vladislaus|Wenceslaus)"

    private static func ordinal(_ numeral: String) -> String? { NumberWords.roman(numeral).map { "the \(NumberWords.ordinal($0))" } }

    static let romanRules: [TextRule] = [
        TextRule("\\b(\(numbered)) ([IVXLC]+)\\b(?!')", ignoringCase: true, { groups in
            guard groups[2].allSatisfy(\.isUppercase) else { return nil }
            return NumberWords.roman(groups[2]).map { "\(groups[1]) \(NumberWords.cardinal($0))" }
        }),
        TextRule("\\b(\(regnal)) ([IVX]{2,}|V|X)\\b(?!')", { groups in ordinal(groups[2]).map { "\(groups[1]) \($0)" } }),
        TextRule("\\b((?:King|Queen|Pope|Emperor|Empress|Tsar|Prince|Sultan|Pharaoh) [A-Z][a-z]+|\(regnal)) I(?=[,.;:!?)]|'s|--|$| (?:of|was|became|and his|ruled|reigned|died|had))", {
            "\($0[1]) the first"
        }),
        TextRule("\\b([A-Z][a-z]+ [A-Z][a-z]+),? (II|III|IV)(?=[,.;:!?)]|'s|$| [a-z])", { groups in ordinal(groups[2]).map { "\(groups[1]) \($0)" } }),
        // Any other numeral of two letters or more, unless it is an abbreviation in its own right.
        TextRule("(?<![\\w.'-])(?!(?:CD|DC|MD|CV|DI|LCD|MC|DVD|LI|XL|MI|CC|CI|DM|MM|MIX|LC|CL|ID|DIV|MID|DIM|CIV|MV|DL|ML|CM|MDC|CIC|CXC|XXX|XX)\\b)([IVXLCDM]{2,})(?![\\w'-]|\\.\\w)", { groups in
            NumberWords.roman(groups[1]).map { NumberWords.cardinal($0) }
        }),
    ]
}
