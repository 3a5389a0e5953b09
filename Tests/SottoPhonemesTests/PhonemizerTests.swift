import SottoPhonemes
import SottoSubprocess
import Testing

private let hasProgram = (try? Subprocess.locate("espeak-ng")) != nil

/// Expected values: kokoro-onnx 0.6.1 with phonemizer 3.4.0 (`Tokenizer.phonemize`) over the same espeak-ng 1.51 library.
@Suite(.enabled(if: hasProgram, "needs the program espeak-ng"))
struct PhonemizerTests {
    @Test("phonemes equal the reference's", arguments: [
        ("Hello, world!", "həlˈoʊ, wˈɜːld!"),
        ("The economy grew 3.14 percent; Doctor Smith said: \"fine\".", "ðɪ ɪkˈɑːnəmi ɡɹˈuː θɹˈiː pɔɪnt wˈʌn fˈoːɹ pɚsˈɛnt; dˈɑːktɚ smˈɪθ sˈɛd: \"fˈaɪn\"."),
        ("I read the book. What's 1,000 times 3?", "aɪ ɹˈiːd ðə bˈʊk. wˌʌts wˈʌn θˈaʊzənd tˈaɪmz θɹˈiː?"),
        ("After the package is installed, run the command again and check the status of the service.", "ˈæftɚ ðə pˈækɪdʒ ɪz ɪnstˈɔːld, ɹˈʌn ðə kəmˈænd ɐɡˈɛn ænd tʃˈɛk ðə stˈæɾəs ʌvðə sˈɜːvɪs."),
        ("  Leading and trailing spaces  ", "lˈiːdɪŋ ænd tɹˈeɪlɪŋ spˈeɪsᵻz"),
        ("¿Qué? no", "kwˈeɪ? nˈoʊ"),
        ("She said “no”, then left: twenty-one, 2.5, 3, and 1,234,567.", "ʃiː sˈɛd “nˈoʊ”, ðˈɛn lˈɛft: twˈɛntiwˌʌn, tˈuː pɔɪnt fˈaɪv, θɹˈiː, ænd wˈʌn mˈɪliən tˈuːhˈʌndɹɪd θˈɜːɾi fˈoːɹ θˈaʊzənd fˈaɪvhˈʌndɹɪd sˈɪksti sˈɛvən."),
        ("one\ntwo\n\nthree", "wˈʌn tˈuː θɹˈiː"),
        ("Version 12.5 was released on June 10, 2023.", "vˈɜːʒən twˈɛlv pɔɪnt fˈaɪv wʌz ɹᵻlˈiːst ˌɔn dʒˈuːn tˈɛn, tˈuː θˈaʊzənd twˈɛnti θɹˈiː."),
        ("A [bracket] {brace} «guillemets».", "ˈeɪ bɹˈækɪt bɹˈeɪs ɡˈɪlɛmɪts."),
        ("...", "..."),
        ("Hello", "həlˈoʊ"),
        ("don't can't won't it's I'm they're", "dˈoʊnt kˈænt wˈoʊnt ɪts aɪm ðeɪɚ"),
        ("The fiancé ate a croissant at the café.", "ðə fiˈɑːnsˈeɪ ˈeɪt ɐ kwˈɑːsɑ̃ æt ðə kæfˈeɪ."),
        ("The bootloader reads its configuration from the root file system, and the kernel then starts the first process.", "ðə bˈuːtloʊdɚ ɹˈiːdz ɪts kənfˌɪɡjɚɹˈeɪʃən fɹʌmðə ɹˈuːt fˈaɪl sˈɪstəm, ænd ðə kˈɜːnəl ðˈɛn stˈɑːɹts ðə fˈɜːst pɹˈɑːsɛs.")
    ])
    func reference(text: String, phonemes: String) async throws {
        // The reference drops what the model does not know; so do we, in the synthesizer.
        let unknown: Set<Character> = ["{", "}", "[", "]", "«", "»", "¿", "¡"]
        let ours = try await Phonemizer().phonemes(of: text).filter { unknown.contains($0) == false }
        #expect(ours.split(separator: " ").joined(separator: " ") == phonemes.split(separator: " ").joined(separator: " "))
    }

    /// The program stresses a function word that stands alone in its clause; the library, which the reference calls, does not.
    @Test("a clause of one function word differs from the reference by its stress alone", arguments: [
        ("It's (really) odd — isn't it… yes", "ɪts (ɹˈiəli) ˈɑːd — ˈɪzənt ɪt… jˈɛs"),
        ("Wait... what?! Really?", "wˈeɪt... wˌʌt?! ɹˈiəli?"),
    ])
    func lone(text: String, phonemes: String) async throws {
        let stress: Set<Character> = ["ˈ", "ˌ"]
        #expect(try await Phonemizer().phonemes(of: text).filter { stress.contains($0) == false } == phonemes.filter { stress.contains($0) == false })
    }

    @Test("one phonemizer serves many callers at once, each with its own answer")
    func concurrency() async throws {
        let phonemizer = Phonemizer()
        let words = ["one", "two", "three", "four", "five", "six"]
        let expected = try await phonemizer.phonemes(of: words)
        #expect(Set(expected).count == words.count)
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for round in 0..<30 {
                group.addTask { (round % words.count, try await phonemizer.phonemes(of: words[round % words.count])) }
            }
            for try await (index, phonemes) in group { #expect(phonemes == expected[index]) }
        }
    }

    @Test("a phrase longer than espeak-ng's buffer loses no word")
    func long() async throws {
        let phonemizer = Phonemizer()
        let text = Array(repeating: "seven", count: 2000).joined(separator: " ")
        let words = try await phonemizer.phonemes(of: text).split(separator: " ")
        #expect(words.count == 2000)
        let blob = try await phonemizer.phonemes(of: String(repeating: "na", count: 3000))
        #expect(blob.isEmpty == false)
    }

    @Test("texts that confuse a line protocol come back like any other", arguments: [
        "", " ", "\n\n", "\u{0}\u{1}\u{7}", "😀", "…", "日本語", "-", "- - -", "<break/>", "[[həl]]", "''''", "%", "a\r\nb", "\u{200B}\u{FEFF}",
    ])
    func odd(text: String) async throws {
        let phonemizer = Phonemizer()
        _ = try await phonemizer.phonemes(of: text)
        // The next answer is not shifted by what came before.
        #expect(try await phonemizer.phonemes(of: "Hello, world!") == "həlˈoʊ, wˈɜːld!")
    }

    @Test("cancelling leaves the phonemizer usable")
    func cancellation() async throws {
        let phonemizer = Phonemizer()
        let text = Array(repeating: "hundred", count: 100_000).joined(separator: " ")
        let task = Task { try await phonemizer.phonemes(of: text) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await phonemizer.phonemes(of: "Hello") == "həlˈoʊ")
    }

    @Test("given phonemes go before what espeak-ng says, in any case, marks and other words untouched")
    func pronunciations() async throws {
        let plain = Phonemizer()
        let own = Phonemizer(pronunciations: ["gif": "dʒˈɪf", "sudo": "sˈuːdoʊ"])
        #expect(try await own.phonemes(of: "GIF") == "dʒˈɪf")
        #expect(try await own.phonemes(of: "The GIF, a sudo.") == "\(plain.phonemes(of: "The")) dʒˈɪf, \(plain.phonemes(of: "a")) sˈuːdoʊ.")
        #expect(try await own.phonemes(of: "gifts") == plain.phonemes(of: "gifts"))
        #expect(try await own.phonemes(of: "Hello, world!") == "həlˈoʊ, wˈɜːld!")
    }

    @Test("words of the trade are respelled, whole words only")
    func respelling() async throws {
        let phonemizer = Phonemizer()
        #expect(try await phonemizer.phonemes(of: "slash etc slash") == phonemizer.phonemes(of: "slash etsy slash"))
        #expect(try await phonemizer.phonemes(of: "apples, etc") == "ˈæpəlz, ɛtsˈɛtɹə")
        #expect(try await phonemizer.phonemes(of: "sudo") == phonemizer.phonemes(of: "soodoo"))
        #expect(try await phonemizer.phonemes(of: "pseudo") == "sˈuːdoʊ")
    }
}
