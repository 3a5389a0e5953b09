/// An encoding of the Encoding Standard, found by any of its labels.
public struct CharacterEncoding: Sendable, Equatable {
    /// The standard's name, in lower case.
    public let name: String
    /// What iconv calls the superset that browsers decode it with.
    let iconvName: String

    public static let utf8 = CharacterEncoding(name: "utf-8", iconvName: "UTF-8")
    public static let windows1252 = CharacterEncoding(name: "windows-1252", iconvName: "CP1252")

    /// - Parameter label: As written in a page or header; case and white space around it do not matter.
    public init?(label: some StringProtocol) {
        let key = label.lowercased().trimmingSpaces
        guard let found = Self.byLabel[key] else { return nil }
        self = found
    }

    private init(name: String, iconvName: String) {
        self.name = name
        self.iconvName = iconvName
    }

    /// Source: the Encoding Standard's table of names and labels; the last lines are outside it, and old text files still use them.
    private static let table: [(name: String, iconv: String, labels: String)] = [
        ("utf-8", "UTF-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
        ("ibm866", "CP866", "ibm866 866 cp866 csibm866"),
        ("iso-8859-2", "ISO-8859-2", "iso-8859-2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"),
        ("iso-8859-3", "ISO-8859-3", "iso-8859-3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"),
        ("iso-8859-4", "ISO-8859-4", "iso-8859-4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"),
        ("iso-8859-5", "ISO-8859-5", "iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"),
        ("iso-8859-6", "ISO-8859-6", "iso-8859-6 arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6"),
        ("iso-8859-7", "ISO-8859-7", "iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 sun_eu_greek"),
        ("iso-8859-8", "ISO-8859-8", "iso-8859-8 csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i csiso88598i logical visual iso-ir-138 iso8859-8 iso88598 iso_8859-8"),
        ("iso-8859-10", "ISO-8859-10", "iso-8859-10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
        ("iso-8859-13", "ISO-8859-13", "iso-8859-13 iso8859-13 iso885913"),
        ("iso-8859-14", "ISO-8859-14", "iso-8859-14 iso8859-14 iso885914"),
        ("iso-8859-15", "ISO-8859-15", "iso-8859-15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9"),
        ("iso-8859-16", "ISO-8859-16", "iso-8859-16"),
        ("koi8-r", "KOI8-R", "koi8-r cskoi8r koi koi8 koi8_r"),
        ("koi8-u", "KOI8-U", "koi8-u koi8-ru"),
        ("macintosh", "MACINTOSH", "macintosh csmacintosh mac x-mac-roman"),
        ("windows-874", "CP874", "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
        ("windows-1250", "CP1250", "windows-1250 cp1250 x-cp1250"),
        ("windows-1251", "CP1251", "windows-1251 cp1251 x-cp1251"),
        ("windows-1252", "CP1252", "windows-1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252"),
        ("windows-1253", "CP1253", "windows-1253 cp1253 x-cp1253"),
        ("windows-1254", "CP1254", "windows-1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254"),
        ("windows-1255", "CP1255", "windows-1255 cp1255 x-cp1255"),
        ("windows-1256", "CP1256", "windows-1256 cp1256 x-cp1256"),
        ("windows-1257", "CP1257", "windows-1257 cp1257 x-cp1257"),
        ("windows-1258", "CP1258", "windows-1258 cp1258 x-cp1258"),
        ("x-mac-cyrillic", "MACCYRILLIC", "x-mac-cyrillic x-mac-ukrainian maccyrillic"),
        ("gb18030", "GB18030", "gb18030 gbk gb2312 chinese csgb2312 csiso58gb231280 gb_2312 gb_2312-80 iso-ir-58 x-gbk cp936"),
        ("big5", "BIG5-HKSCS", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        ("euc-jp", "EUC-JP-MS", "euc-jp cseucpkdfmtjapanese x-euc-jp"),
        ("iso-2022-jp", "ISO-2022-JP-2", "iso-2022-jp csiso2022jp"),
        ("shift_jis", "CP932", "shift_jis shift-jis csshiftjis ms932 ms_kanji sjis windows-31j x-sjis cp932"),
        ("euc-kr", "CP949", "euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949"),
        ("utf-16be", "UTF-16BE", "utf-16be unicodefffe"),
        ("utf-16le", "UTF-16LE", "utf-16le utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff"),
        ("utf-32be", "UTF-32BE", "utf-32be"), ("utf-32le", "UTF-32LE", "utf-32le utf-32"),
        ("iso-2022-kr", "ISO-2022-KR", "iso-2022-kr csiso2022kr"), ("johab", "JOHAB", "johab cp1361"), ("euc-tw", "EUC-TW", "euc-tw"),
        ("ibm855", "CP855", "ibm855 cp855"), ("cp437", "CP437", "cp437 ibm437"), ("cp850", "CP850", "cp850 ibm850"), ("cp852", "CP852", "cp852 ibm852"),
    ]

    private static let byLabel: [String: CharacterEncoding] = {
        var result: [String: CharacterEncoding] = [:]
        for row in table {
            for label in row.labels.split(separator: " ") { result[String(label)] = CharacterEncoding(name: row.name, iconvName: row.iconv) }
        }
        return result
    }()
}
