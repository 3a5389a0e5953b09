import SottoText

/// The fixed sentences of findings and spoken summaries in the task's language.
///
/// Counts stand behind a colon where a language would need several plural forms.
struct Phrasebook: Sendable {
    /// BCP 47 tag of the language that the sentences are in.
    let language: String
    let nothingFound: String
    let notAnswered: String
    let digest: String
    let stopped: String
    let disagreement: String
    /// Behind the number of the source.
    let otherwise: String
    let gaps: String
    let sources: String
    let alsoRead: String
    let shortened: String
    /// How many of how many drafted claims were left out.
    let leftOut: @Sendable (Int, Int) -> String
    /// How many sentences spoke to programs.
    let screened: @Sendable (Int) -> String

    let spokenNothingFound: String
    let spokenNotAnswered: String
    let spokenStopped: String
    let spokenDigestEmpty: String
    /// Stands before the sentence.
    let spokenDigest: String
    let spokenDisagreement: String
    /// Said below the findings when there is no translation into the language that was asked for; `nil` when there is.
    private(set) var note: String?

    /// - Parameter language: BCP 47 tag; only its first part counts. Any other than those of ``languages`` gets English, and ``note`` says so.
    init(_ language: String) {
        let code = LanguageTag.primary(of: language) ?? "en"
        if let found = Self.books[code] {
            self = found
        } else {
            self = Self.english
            note = "Sotto's own words above are in English: it has none for the language “\(Findings.escaped(String(language.prefix(35))))”."
        }
    }

    /// Codes of the languages that there are sentences for.
    static var languages: [String] { books.keys.sorted() }

    private init(
        language: String, nothingFound: String, notAnswered: String, digest: String, stopped: String, disagreement: String, otherwise: String,
        gaps: String, sources: String, alsoRead: String, shortened: String, leftOut: @escaping @Sendable (Int, Int) -> String,
        screened: @escaping @Sendable (Int) -> String, spokenNothingFound: String, spokenNotAnswered: String, spokenStopped: String,
        spokenDigestEmpty: String, spokenDigest: String, spokenDisagreement: String
    ) {
        self.language = language
        self.nothingFound = nothingFound
        self.notAnswered = notAnswered
        self.digest = digest
        self.stopped = stopped
        self.disagreement = disagreement
        self.otherwise = otherwise
        self.gaps = gaps
        self.sources = sources
        self.alsoRead = alsoRead
        self.shortened = shortened
        self.leftOut = leftOut
        self.screened = screened
        self.spokenNothingFound = spokenNothingFound
        self.spokenNotAnswered = spokenNotAnswered
        self.spokenStopped = spokenStopped
        self.spokenDigestEmpty = spokenDigestEmpty
        self.spokenDigest = spokenDigest
        self.spokenDisagreement = spokenDisagreement
    }

    private static let books: [String: Phrasebook] = Dictionary(
        [english, german, french, spanish, italian, portuguese, dutch, polish].map { ($0.language, $0) }, uniquingKeysWith: { first, _ in first })

    private static let english = Phrasebook(
        language: "en",
        nothingFound: "No source matches this question.",
        notAnswered: "The sources do not answer this question.",
        digest: "**Extractive digest.** No language model is installed, so these are sentences copied from the sources, not an answer.",
        stopped: "Stopped before an answer was written. What was read until then is listed below.",
        disagreement: "The sources do not agree.",
        otherwise: "says otherwise:",
        gaps: "Not found in the sources:",
        sources: "Sources",
        alsoRead: "Also read",
        shortened: "The answer ran into its length limit and was made shorter; ask again in mode deep for more.",
        leftOut: { "\($0) of \($1) drafted \($1 == 1 ? "claim was" : "claims were") left out: not stated by the sources, or no answer to the question." },
        screened: {
            "\($0) \($0 == 1 ? "sentence" : "sentences") of the sources spoke to programs, not to people, and \($0 == 1 ? "was" : "were") not read."
        },
        spokenNothingFound: "I found nothing about that.",
        spokenNotAnswered: "The sources I read do not answer that.",
        spokenStopped: "The work was stopped before I had an answer.",
        spokenDigestEmpty: "No language model is installed, and no sentence of the sources fits.",
        spokenDigest: "No language model is installed. The closest sentence in the sources is this:",
        spokenDisagreement: "Another source says otherwise.")

    private static let german = Phrasebook(
        language: "de",
        nothingFound: "Zu dieser Frage wurde keine Quelle gefunden.",
        notAnswered: "Die Quellen beantworten diese Frage nicht.",
        digest: "**Auszug.** Es ist kein Sprachmodell installiert; dies sind wörtlich übernommene Sätze aus den Quellen, keine Antwort.",
        stopped: "Angehalten, bevor eine Antwort geschrieben war. Was bis dahin gelesen wurde, steht unten.",
        disagreement: "Die Quellen sind sich nicht einig.",
        otherwise: "sagt etwas anderes:",
        gaps: "In den Quellen nicht gefunden:",
        sources: "Quellen",
        alsoRead: "Außerdem gelesen",
        shortened: "Die Antwort stieß an ihre Längengrenze und wurde gekürzt; im Modus deep gibt es mehr.",
        leftOut: { "\($0) von \($1) entworfenen Aussagen ausgelassen: von den Quellen nicht belegt oder keine Antwort auf die Frage." },
        screened: { "Nicht gelesen, weil an Programme statt an Menschen gerichtet: \($0) \($0 == 1 ? "Satz" : "Sätze") der Quellen." },
        spokenNothingFound: "Dazu habe ich nichts gefunden.",
        spokenNotAnswered: "Die Quellen, die ich gelesen habe, beantworten das nicht.",
        spokenStopped: "Die Arbeit wurde angehalten, bevor ich eine Antwort hatte.",
        spokenDigestEmpty: "Es ist kein Sprachmodell installiert, und kein Satz der Quellen passt.",
        spokenDigest: "Es ist kein Sprachmodell installiert. Der Satz in den Quellen, der am besten passt, lautet:",
        spokenDisagreement: "Eine andere Quelle sagt etwas anderes.")

    private static let french = Phrasebook(
        language: "fr",
        nothingFound: "Aucune source ne correspond à cette question.",
        notAnswered: "Les sources ne répondent pas à cette question.",
        digest: "**Extraits.** Aucun modèle de langue n'est installé : voici des phrases copiées des sources, pas une réponse.",
        stopped: "Arrêté avant qu'une réponse ne soit rédigée. Ce qui avait été lu jusque-là figure ci-dessous.",
        disagreement: "Les sources ne sont pas d'accord.",
        otherwise: "dit autre chose :",
        gaps: "Introuvable dans les sources :",
        sources: "Sources",
        alsoRead: "Également lu",
        shortened: "La réponse a atteint sa longueur maximale et a été raccourcie ; le mode deep en dit davantage.",
        leftOut: { "Affirmations écartées : \($0) sur \($1), non établies par les sources ou sans rapport avec la question." },
        screened: { "Phrases des sources non lues, car adressées à des programmes et non à des personnes : \($0)." },
        spokenNothingFound: "Je n'ai rien trouvé à ce sujet.",
        spokenNotAnswered: "Les sources que j'ai lues ne répondent pas à cette question.",
        spokenStopped: "Le travail a été arrêté avant que j'aie une réponse.",
        spokenDigestEmpty: "Aucun modèle de langue n'est installé, et aucune phrase des sources ne convient.",
        spokenDigest: "Aucun modèle de langue n'est installé. Voici la phrase des sources qui s'en rapproche le plus :",
        spokenDisagreement: "Une autre source dit autre chose.")

    private static let spanish = Phrasebook(
        language: "es",
        nothingFound: "Ninguna fuente coincide con esta pregunta.",
        notAnswered: "Las fuentes no responden a esta pregunta.",
        digest: "**Extractos.** No hay ningún modelo de lenguaje instalado: son frases copiadas de las fuentes, no una respuesta.",
        stopped: "Detenido antes de redactar una respuesta. Lo que se había leído hasta entonces figura abajo.",
        disagreement: "Las fuentes no coinciden.",
        otherwise: "dice otra cosa:",
        gaps: "No se encontró en las fuentes:",
        sources: "Fuentes",
        alsoRead: "También se leyó",
        shortened: "La respuesta alcanzó su longitud máxima y se acortó; el modo deep da más detalle.",
        leftOut: { "Afirmaciones descartadas: \($0) de \($1), porque las fuentes no las respaldan o no responden a la pregunta." },
        screened: { "Frases de las fuentes que no se leyeron por dirigirse a programas y no a personas: \($0)." },
        spokenNothingFound: "No he encontrado nada sobre eso.",
        spokenNotAnswered: "Las fuentes que he leído no responden a eso.",
        spokenStopped: "El trabajo se detuvo antes de que tuviera una respuesta.",
        spokenDigestEmpty: "No hay ningún modelo de lenguaje instalado y ninguna frase de las fuentes encaja.",
        spokenDigest: "No hay ningún modelo de lenguaje instalado. La frase más cercana de las fuentes es esta:",
        spokenDisagreement: "Otra fuente dice otra cosa.")

    private static let italian = Phrasebook(
        language: "it",
        nothingFound: "Nessuna fonte corrisponde a questa domanda.",
        notAnswered: "Le fonti non rispondono a questa domanda.",
        digest: "**Estratti.** Non è installato alcun modello linguistico: queste sono frasi copiate dalle fonti, non una risposta.",
        stopped: "Interrotto prima che fosse scritta una risposta. Ciò che era stato letto fino a quel momento è elencato sotto.",
        disagreement: "Le fonti non sono concordi.",
        otherwise: "dice altro:",
        gaps: "Non trovato nelle fonti:",
        sources: "Fonti",
        alsoRead: "Letto anche",
        shortened: "La risposta ha raggiunto la lunghezza massima ed è stata accorciata; la modalità deep dice di più.",
        leftOut: { "Affermazioni escluse: \($0) su \($1), perché non sostenute dalle fonti o perché non rispondono alla domanda." },
        screened: { "Frasi delle fonti non lette perché rivolte a programmi e non a persone: \($0)." },
        spokenNothingFound: "Non ho trovato nulla al riguardo.",
        spokenNotAnswered: "Le fonti che ho letto non rispondono a questo.",
        spokenStopped: "Il lavoro è stato interrotto prima che avessi una risposta.",
        spokenDigestEmpty: "Non è installato alcun modello linguistico e nessuna frase delle fonti è adatta.",
        spokenDigest: "Non è installato alcun modello linguistico. La frase delle fonti che si avvicina di più è questa:",
        spokenDisagreement: "Un'altra fonte dice altro.")

    private static let portuguese = Phrasebook(
        language: "pt",
        nothingFound: "Nenhuma fonte corresponde a esta pergunta.",
        notAnswered: "As fontes não respondem a esta pergunta.",
        digest: "**Excertos.** Não há nenhum modelo de linguagem instalado: são frases copiadas das fontes, não uma resposta.",
        stopped: "Interrompido antes de ser escrita uma resposta. O que foi lido até então está listado abaixo.",
        disagreement: "As fontes não estão de acordo.",
        otherwise: "diz outra coisa:",
        gaps: "Não encontrado nas fontes:",
        sources: "Fontes",
        alsoRead: "Também lido",
        shortened: "A resposta atingiu o comprimento máximo e foi encurtada; o modo deep diz mais.",
        leftOut: { "Afirmações deixadas de fora: \($0) de \($1), por não serem sustentadas pelas fontes ou não responderem à pergunta." },
        screened: { "Frases das fontes que não foram lidas por se dirigirem a programas e não a pessoas: \($0)." },
        spokenNothingFound: "Não encontrei nada sobre isso.",
        spokenNotAnswered: "As fontes que li não respondem a isso.",
        spokenStopped: "O trabalho foi interrompido antes de eu ter uma resposta.",
        spokenDigestEmpty: "Não há nenhum modelo de linguagem instalado, e nenhuma frase das fontes serve.",
        spokenDigest: "Não há nenhum modelo de linguagem instalado. A frase mais próxima nas fontes é esta:",
        spokenDisagreement: "Outra fonte diz outra coisa.")

    private static let dutch = Phrasebook(
        language: "nl",
        nothingFound: "Geen enkele bron past bij deze vraag.",
        notAnswered: "De bronnen beantwoorden deze vraag niet.",
        digest: "**Uittreksel.** Er is geen taalmodel geïnstalleerd; dit zijn zinnen die uit de bronnen zijn overgenomen, geen antwoord.",
        stopped: "Gestopt voordat er een antwoord was geschreven. Wat tot dan toe is gelezen, staat hieronder.",
        disagreement: "De bronnen zijn het niet eens.",
        otherwise: "zegt iets anders:",
        gaps: "Niet gevonden in de bronnen:",
        sources: "Bronnen",
        alsoRead: "Ook gelezen",
        shortened: "Het antwoord bereikte zijn maximale lengte en is ingekort; in de modus deep is er meer.",
        leftOut: { "\($0) van \($1) opgestelde beweringen weggelaten: niet door de bronnen gestaafd, of geen antwoord op de vraag." },
        screened: { "Niet gelezen omdat ze aan programma's en niet aan mensen gericht waren: \($0) \($0 == 1 ? "zin" : "zinnen") uit de bronnen." },
        spokenNothingFound: "Daarover heb ik niets gevonden.",
        spokenNotAnswered: "De bronnen die ik heb gelezen, geven daar geen antwoord op.",
        spokenStopped: "Het werk is gestopt voordat ik een antwoord had.",
        spokenDigestEmpty: "Er is geen taalmodel geïnstalleerd, en geen enkele zin uit de bronnen past.",
        spokenDigest: "Er is geen taalmodel geïnstalleerd. De zin uit de bronnen die het best past, is deze:",
        spokenDisagreement: "Een andere bron zegt iets anders.")

    private static let polish = Phrasebook(
        language: "pl",
        nothingFound: "Żadne źródło nie pasuje do tego pytania.",
        notAnswered: "Źródła nie odpowiadają na to pytanie.",
        digest: "**Wyciąg.** Nie zainstalowano modelu językowego, więc są to zdania skopiowane ze źródeł, a nie odpowiedź.",
        stopped: "Przerwano, zanim powstała odpowiedź. Poniżej wymieniono to, co przeczytano do tej chwili.",
        disagreement: "Źródła nie są zgodne.",
        otherwise: "podaje co innego:",
        gaps: "Nie znaleziono w źródłach:",
        sources: "Źródła",
        alsoRead: "Przeczytano również",
        shortened: "Odpowiedź osiągnęła maksymalną długość i została skrócona; więcej powie tryb deep.",
        leftOut: { "Pominięte stwierdzenia: \($0) z \($1), bo źródła ich nie potwierdzają albo nie odpowiadają one na pytanie." },
        screened: { "Zdania źródeł, których nie czytano, bo są skierowane do programów, a nie do ludzi: \($0)." },
        spokenNothingFound: "Nie znalazłem nic na ten temat.",
        spokenNotAnswered: "Przeczytane źródła na to nie odpowiadają.",
        spokenStopped: "Pracę przerwano, zanim powstała odpowiedź.",
        spokenDigestEmpty: "Nie zainstalowano modelu językowego i żadne zdanie źródeł nie pasuje.",
        spokenDigest: "Nie zainstalowano modelu językowego. Najbliższe zdanie ze źródeł brzmi:",
        spokenDisagreement: "Inne źródło podaje co innego.")
}
