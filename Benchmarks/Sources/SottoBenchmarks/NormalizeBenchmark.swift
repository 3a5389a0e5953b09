import SottoText

/// Says each line of standard input in words: one line out for each line in.
struct NormalizeBenchmark {
    func run() {
        while let line = readLine() {
            print(SpokenForm.spoken(plain: line).split(whereSeparator: \.isNewline).joined(separator: " "))
        }
    }
}
