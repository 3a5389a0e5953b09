/// DuckDuckGo's own codes for region and language, as the menu of its pages lists them.
enum DuckDuckGoRegion {
    private static let codes: [String: [String]] = [
        "AR": ["ar-es"], "AU": ["au-en"], "AT": ["at-de"], "BE": ["be-fr", "be-nl"], "BR": ["br-pt"], "BG": ["bg-bg"], "CA": ["ca-en", "ca-fr"],
        "CL": ["cl-es"],
        "CN": ["cn-zh"], "CO": ["co-es"], "HR": ["hr-hr"], "CZ": ["cz-cs"], "DK": ["dk-da"], "EE": ["ee-et"], "FI": ["fi-fi"], "FR": ["fr-fr"],
        "DE": ["de-de"],
        "GR": ["gr-el"], "HK": ["hk-tzh"], "HU": ["hu-hu"], "IS": ["is-is"], "IN": ["in-en"], "ID": ["id-en"], "IE": ["ie-en"], "IL": ["il-en"],
        "IT": ["it-it"],
        "JP": ["jp-jp"], "KR": ["kr-kr"], "LV": ["lv-lv"], "LT": ["lt-lt"], "MY": ["my-en"], "MX": ["mx-es"], "NL": ["nl-nl"], "NZ": ["nz-en"],
        "NO": ["no-no"],
        "PK": ["pk-en"], "PE": ["pe-es"], "PH": ["ph-en"], "PL": ["pl-pl"], "PT": ["pt-pt"], "RO": ["ro-ro"], "RU": ["ru-ru"], "SA": ["xa-ar"],
        "SG": ["sg-en"],
        "SK": ["sk-sk"], "SI": ["sl-sl"], "ZA": ["za-en"], "ES": ["es-es", "es-ca"], "SE": ["se-sv"], "CH": ["ch-de", "ch-fr"], "TW": ["tw-tzh"],
        "TH": ["th-en"],
        "TR": ["tr-tr"], "US": ["us-en", "us-es"], "UA": ["ua-uk"], "GB": ["uk-en"], "VN": ["vn-en"],
    ]

    /// For a language whose region is not told. English is written everywhere, so it has none.
    private static let homes: [String: String] = [
        "bg": "bg-bg", "ca": "ct-ca", "cs": "cz-cs", "da": "dk-da", "de": "de-de", "el": "gr-el", "es": "es-es", "et": "ee-et", "fi": "fi-fi",
        "fr": "fr-fr", "hr": "hr-hr",
        "hu": "hu-hu", "is": "is-is", "it": "it-it", "ja": "jp-jp", "ko": "kr-kr", "lt": "lt-lt", "lv": "lv-lv", "nb": "no-no", "nl": "nl-nl",
        "nn": "no-no", "no": "no-no",
        "pl": "pl-pl", "pt": "pt-pt", "ro": "ro-ro", "ru": "ru-ru", "sk": "sk-sk", "sl": "sl-sl", "sv": "se-sv", "tr": "tr-tr", "uk": "ua-uk",
        "zh": "cn-zh", "ar": "xa-ar",
    ]

    /// - Returns: A code such as `de-de`; `wt-wt`, all regions, when none fits.
    static func code(language: String?, region: String?) -> String {
        guard let region, let known = codes[region], let first = known.first else { return language.flatMap { homes[$0] } ?? "wt-wt" }
        guard let language else { return first }
        return known.first { $0.hasSuffix("-" + language) } ?? first
    }
}
