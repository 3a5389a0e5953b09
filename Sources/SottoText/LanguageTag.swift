/// BCP 47 language tags, also as POSIX writes them (`de_AT`).
public enum LanguageTag {
    /// The language without script and region, in lower case: `pt` of `pt-BR`; `nil` of an empty tag.
    public static func primary(of tag: String) -> String? {
        tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init)
    }
}
