public import SottoSpeechEngines
public import SottoText

extension Transcript {
    /// Letters of a subtitle: two lines of 42, as broadcasters' guides have it.
    private static let cueLetters = 84
    /// Seconds of a subtitle.
    private static let cueSeconds = 6.0

    /// The segment in pieces that can be read while they are shown: broken behind a sentence or a clause where there is one.
    public var cues: [Subtitles.Cue] {
        let words = words
        let space = hasSpaces ? " " : ""
        var cues: [Subtitles.Cue] = []
        var from = 0
        while from < words.count {
            var most = from
            var letters = words[from].text.count
            while most + 1 < words.count, letters + space.count + words[most + 1].text.count <= Self.cueLetters,
                words[most + 1].end - words[from].start <= Self.cueSeconds
            {
                most += 1
                letters += space.count + words[most].text.count
            }
            var to = most
            if most + 1 < words.count {
                // Not so early that the piece is a scrap.
                let range = (from + (most - from) / 2)...most
                to = range.last { ".?!。？！".contains(words[$0].text.last ?? " ") } ?? range.last { ",;:，、；：".contains(words[$0].text.last ?? " ") } ?? most
            }
            cues.append(
                .init(
                    start: from == 0 ? start : words[from].start, end: to == words.count - 1 ? end : words[to].end,
                    text: words[from...to].map(\.text).joined(separator: space)))
            from = to + 1
        }
        return cues
    }
}
