/// What a text says, in words, ready for a voice: Markdown and marks become pauses, numbers and signs become words.
///
/// ```swift
/// SpokenForm.of("## Result\n\nPrices rose **4.2%** [1]; see `/etc/default/grub`.")
/// // "Result.\n\nPrices rose four point two percent; see slash etc slash default slash grub."
/// ```
/// English only. Nothing is invented: what cannot be said (emoji, rules, citation marks) is dropped; code of more than two
/// lines and tables are named by their size, since nobody follows them by ear.
public enum SpokenForm {
    /// The spoken form of Markdown or plain text; paragraphs stay apart by an empty line.
    ///
    /// - Parameter pronunciations: How the user wants words to be said.
    /// - Complexity: Linear in the text; about 1 ms a kilobyte.
    public static func of(_ text: String, pronunciations: Pronunciations = Pronunciations()) -> String {
        var stream = SpokenStream(pronunciations: pronunciations)
        var paragraphs: [[String]] = [[]]
        for part in stream.append(text) + stream.finish() {
            if case .sentence(let sentence) = part {
                paragraphs[paragraphs.count - 1].append(sentence.spoken)
            } else {
                paragraphs.append([])
            }
        }
        return paragraphs.filter { $0.isEmpty == false }.map { $0.joined(separator: " ") }.joined(separator: "\n\n")
    }

    /// The spoken form of plain text without Markdown, numbers and signs alone.
    ///
    /// Sentence by sentence, so that the full stop of "at 5 p.m." still ends its sentence when the abbreviation has become words.
    public static func spoken(plain text: String) -> String {
        let sentences = SentenceSplitter.sentences(text.filter { $0.isSilent == false }).map { sentence in
            let spoken = String(EnglishNormalizer.spoken(sentence).trimmed)
            let isEnded = spoken.last.map { ".!?…:;,\"')]”’".contains($0) } ?? true
            return sentence.hasSuffix(".") && isEnded == false ? spoken + "." : spoken
        }
        return sentences.joined(separator: " ")
    }
}

extension Character {
    /// Emoji, variation selectors, private use and invisible format characters: nothing that is said.
    fileprivate var isSilent: Bool {
        guard isASCII == false else { return false }
        return unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            switch properties.generalCategory {
            case .format, .privateUse, .unassigned, .surrogate: return true
            default: break
            }
            if properties.isVariationSelector { return true }
            return properties.isEmojiPresentation || (properties.isEmoji && scalar.value >= 0x2600) || (0x1F000...0x1FAFF).contains(scalar.value)
        }
    }
}
