/// The commonest words of languages: they tell one language from another, and say nothing about what a query is after.
///
/// Articles, pronouns, prepositions, conjunctions, auxiliaries and question words, written from the grammars; short on purpose.
public enum FunctionWords {
    /// Words of one language that a search leaves out, in lower case. Empty for a language not listed.
    ///
    /// - Parameter language: A BCP 47 tag; only its primary part counts.
    public static func words(of language: String) -> Set<String> {
        let primary = String(language.lowercased().prefix { $0.isLetter })
        if primary == "en" { return english }
        return latin[primary == "no" || primary == "nn" ? "nb" : primary] ?? others[primary] ?? []
    }

    static let latin: [String: Set<String>] = {
        var lists: [String: Set<String>] = [:]
        for (language, words) in sources { lists[language] = Set(words.split(separator: " ").map(String.init)) }
        return lists
    }()

    /// In how many of the lists a word stands.
    static let sharing: [String: Double] = {
        var counts: [String: Double] = [:]
        for list in latin.values { for word in list { counts[word, default: 0] += 1 } }
        return counts
    }()

    private static let english: Set<String> = (latin["en"] ?? []).union(
        """
        about above after again against am any because before below between both did doing down during each few further get gets got had \
        having her here hers him himself his i its itself just let me more most much must my myself nor now off once only other our ours \
        out over own same she should so some such than them themselves then those through too under until up us very want wants we were \
        while why yours shall may might please tell according say says said whose whom
        """.split(separator: " ").map(String.init))

    private static let others: [String: Set<String>] = [
        "ru": Set("и в не на что с по как это из у за от к о для же то бы все он она они мы вы я какой какая какие где когда кто ли".split(separator: " ").map(String.init)),
        "uk": Set("і в не на що з по як це із у за від до о для же то би все він вона вони ми ви я який яка які де коли хто чи".split(separator: " ").map(String.init)),
        "bg": Set("и в не на че с по как това от у за до о да се са е той тя те ние вие аз кой коя кои къде кога ли".split(separator: " ").map(String.init)),
        "el": Set("και το η ο να του της τα με για που από στο στη είναι θα δεν τι πως ή οι των τους ένα μια ποιο ποια ποιος".split(separator: " ").map(String.init)),
        "ar": Set("في من على إلى عن أن هذا هذه التي الذي ما هل هو هي مع أو كل لا كان كيف أين متى".split(separator: " ").map(String.init)),
        "fa": Set("و در به از که این را با است برای آن یک خود تا بر هم نیز چه کدام چگونه".split(separator: " ").map(String.init)),
    ]

    private static let sources: [String: String] = [
        "en": """
            the of and to in is that for it as was with be by on not he this are or at from which but have an they you were has if will would \
            there their what when who how can do does been no your these where all into one a could
            """,
        "de": """
            der die und den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei \
            einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn kann können \
            welche welcher welches wo wer was ich wir ihr
            """,
        "fr": """
            le de la les et des en un une du est que dans qui par pour au il sur pas plus ne se ce sont avec ou mais son cette ses comme nous \
            vous ont être aux leur fait elle même peut si deux entre quel quelle quels quelles où comment quand ces sans l d qu n
            """,
        "es": """
            el de la que y en los un del se las por con no una su para es al lo como más pero sus le ya o este sí porque esta entre cuando muy \
            sin sobre también hasta hay donde quien desde todo nos durante ser puede son cuál qué cómo dónde fue ha
            """,
        "it": """
            di il la che e in un per è non una sono del della le con si da i dei gli al ha più nel come anche alla ma su lo questo delle \
            dalla essere può quando dove chi quale quali degli nella viene all dell cosa cui se
            """,
        "pt": """
            de o a que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito \
            há nos já está também só pelo pela até isso entre pode são você qual quais onde quem num
            """,
        "nl": """
            de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij nog uit door over ze hij naar heeft hebben \
            worden wordt deze dit die kan kunnen of welke hoe waar wie wat wanneer geen meer tot je u
            """,
        "sv": """
            och att det i en är som på av för med den till inte har om ett från man kan de vi så var eller du men när vid ska denna detta \
            finns genom också efter vilken hur vad där vem sig
            """,
        "da": """
            og at det i en er som på af for med den til ikke har om et fra man kan de vi så var eller du men når ved skal denne dette findes \
            gennem også efter hvilken hvordan hvad hvor hvem sig der bliver blive
            """,
        "nb": """
            og å det i en er som på av for med den til ikke har om et fra man kan de vi så var eller du men når ved skal denne dette finnes \
            gjennom også etter hvilken hvordan hva hvor hvem seg blir ble
            """,
        "fi": """
            ja on ei että se oli hän mutta ovat kun niin myös tai kuin joka jos voi sen vain nyt mitä olla ole sekä jotka tämä tämän mukaan \
            mikä missä kuka miten
            """,
        "pl": """
            w i na z się do nie jest to że o jak za od po dla przez przy oraz są ale może tym być lub jego tego który która które jako czy \
            tak gdzie kiedy kto co aby już ze można
            """,
        "cs": """
            a v se na je že s z do i o k pro ve za to jako po by ale od není jsou ze který která které lze při nebo tak jak kde kdy kdo co \
            aby tento také být může pokud podle
            """,
        "sk": """
            a v sa na je že s z do aj o k pre vo za to ako po by ale od nie sú zo ktorý ktorá ktoré pri alebo tak kde kedy kto čo aby tento \
            tiež byť môže podľa
            """,
        "hr": """
            i u je na se da za od su s o iz koji koja koje ne kao što ili to biti nije ali može po do će bi samo kada gdje tko kako ako te \
            kod pri ovaj
            """,
        "sl": "in je v na se da za so z s o iz ki ne kot ali to pa po do bi samo kjer kdo kako če pri tudi lahko ta te ni bil",
        "ro": """
            de și în a la cu pe pentru este care nu din un o mai se sau că prin sunt ce fi poate acest această dacă când unde cine cum al ale \
            lui fost dar după
            """,
        "hu": """
            a az és hogy nem is egy ez van de meg csak ha vagy már mint még lehet kell azt volt által ezt mert amely minden ki mi hol mikor \
            hogyan melyik után
            """,
        "tr": """
            ve bir bu için ile da de olarak olan daha çok gibi en kadar sonra ne o her veya değil ise ama olduğu var yok hangi nasıl nerede \
            kim tarafından
            """,
        "vi": """
            và của là có được trong cho không các một với này để những khi từ đã người về trên tại theo nếu cũng như hoặc thể bạn sẽ đó gì \
            nào đâu ai
            """,
        "id": """
            dan yang di untuk dengan ini dari pada adalah dalam tidak akan ke itu atau juga oleh dapat sebagai anda telah jika ada karena \
            lebih bisa seperti apa bagaimana siapa mana kapan sebuah
            """,
        "ca": """
            de la el i que a en els un per les una del amb es no al és com més o són aquest aquesta pot si quan on qui quin quina els seu \
            també però ser dels l d
            """,
    ]
}
