extension Phrasebook {
    /// What is said of the web, in the language of the book.
    struct WebWords: Sendable {
        /// A sentence that ends in a colon; each provider's cause follows.
        let unsearched: String
        /// All that is cited are snippets.
        let onlySnippets: String
        /// The heading above pages that gave nothing.
        let unread: String
        /// Behind a source of which only a snippet was read.
        let snippet: String
        /// Behind a source of which only the beginning was read.
        let beginning: String
        let spokenUnsearched: String
    }

    var web: WebWords { Self.webWords[language] ?? Self.englishWeb }

    private static let englishWeb = WebWords(
        unsearched: "**The web could not be searched**, so nothing is known about what it says:",
        onlySnippets: "No page could be read: this rests on what the search says of the pages.",
        unread: "Could not be read", snippet: "only what the search says of it", beginning: "its beginning",
        spokenUnsearched: "The web could not be searched.")

    private static let webWords: [String: WebWords] = [
        "en": englishWeb,
        "de": WebWords(
            unsearched: "**Das Web konnte nicht durchsucht werden**; was dort steht, ist also nicht bekannt:",
            onlySnippets: "Keine Seite konnte gelesen werden: dies beruht auf dem, was die Suche über die Seiten sagt.",
            unread: "Nicht lesbar", snippet: "nur, was die Suche darüber sagt", beginning: "nur der Anfang",
            spokenUnsearched: "Das Web konnte nicht durchsucht werden."),
        "fr": WebWords(
            unsearched: "**La recherche sur le web a échoué** ; on ne sait donc pas ce qui s'y trouve :",
            onlySnippets: "Aucune page n'a pu être lue : ceci repose sur ce que la recherche en dit.",
            unread: "Illisible", snippet: "seulement ce qu'en dit la recherche", beginning: "seulement le début",
            spokenUnsearched: "La recherche sur le web a échoué."),
        "es": WebWords(
            unsearched: "**No se pudo buscar en la web**, así que no se sabe qué dice:",
            onlySnippets: "No se pudo leer ninguna página: esto se basa en lo que la búsqueda dice de ellas.",
            unread: "No se pudo leer", snippet: "solo lo que dice la búsqueda", beginning: "solo el principio",
            spokenUnsearched: "No se pudo buscar en la web."),
        "it": WebWords(
            unsearched: "**Non è stato possibile cercare sul web**, quindi non si sa che cosa dica:",
            onlySnippets: "Nessuna pagina è stata letta: questo si basa su ciò che ne dice la ricerca.",
            unread: "Non leggibile", snippet: "solo ciò che ne dice la ricerca", beginning: "solo l'inizio",
            spokenUnsearched: "Non è stato possibile cercare sul web."),
        "pt": WebWords(
            unsearched: "**Não foi possível pesquisar na web**, por isso não se sabe o que ela diz:",
            onlySnippets: "Nenhuma página pôde ser lida: isto baseia-se no que a pesquisa diz delas.",
            unread: "Não foi possível ler", snippet: "apenas o que a pesquisa diz", beginning: "apenas o início",
            spokenUnsearched: "Não foi possível pesquisar na web."),
        "nl": WebWords(
            unsearched: "**Het web kon niet worden doorzocht**; wat daar staat is dus onbekend:",
            onlySnippets: "Geen pagina kon worden gelezen: dit berust op wat de zoekmachine erover zegt.",
            unread: "Kon niet worden gelezen", snippet: "alleen wat de zoekmachine erover zegt", beginning: "alleen het begin",
            spokenUnsearched: "Het web kon niet worden doorzocht."),
        "pl": WebWords(
            unsearched: "**Nie udało się przeszukać sieci**, więc nie wiadomo, co się w niej znajduje:",
            onlySnippets: "Nie udało się odczytać żadnej strony: opiera się to na tym, co mówi o nich wyszukiwarka.",
            unread: "Nie udało się odczytać", snippet: "tylko to, co mówi wyszukiwarka", beginning: "tylko początek",
            spokenUnsearched: "Nie udało się przeszukać sieci."),
    ]
}
