import SottoText
import Testing

@Suite struct LanguageTagTests {
    @Test("the primary language is what stands first, in lower case", arguments: [("pt-BR", "pt"), ("de_AT", "de"), ("EN", "en"), ("zh-Hant-TW", "zh"), ("", nil), ("-", nil)])
    func primary(tag: String, language: String?) { #expect(LanguageTag.primary(of: tag) == language) }
}
