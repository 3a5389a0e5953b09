/// `SottoBenchmarks SUBCOMMAND …`: each prints one line of JSON for each pass.
@main struct SottoBenchmarks {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "generate": try await GenerateBenchmark(arguments.dropFirst()).run()
        case "synthesize": try await SynthesizeBenchmark(arguments.dropFirst()).run()
        case "recognize": try await RecognizeBenchmark(arguments.dropFirst()).run()
        case "stream": try await StreamBenchmark(arguments.dropFirst()).run()
        case "activity": try await ActivityBenchmark(arguments.dropFirst()).run()
        case "turns": try await TurnBenchmark(arguments.dropFirst()).run()
        case "hush": try await HushBenchmark(arguments.dropFirst()).run()
        case "closed-book": try await ClosedBookBenchmark(arguments.dropFirst()).run()
        case "clone": try await CloneBenchmark(arguments.dropFirst()).run()
        case "extract": try await ExtractBenchmark().run()
        case "normalize": NormalizeBenchmark().run()
        case "score": try ScoreBenchmark().run()
        default:
            print(
                """
                usage: SottoBenchmarks generate --model FILE [--threads N] [--prompt N] [--tokens N] [--passes N] [--step N] [--guided]
                       SottoBenchmarks synthesize --model FOLDER [--threads N] [--voice V] [--output FOLDER]  (texts on standard input)
                       SottoBenchmarks recognize --models FOLDER [--root FOLDER] [--threads N]  (paths on standard input)
                       SottoBenchmarks stream --models FOLDER [--root FOLDER] [--threads N] [--clock cpu|wall] [--partials yes|no] [--repeat N]
                           [--stability S] [--open-words N] [--step FRAMES] [--pause FRAMES] [--longest FRAMES] …  (paths on standard input)
                       SottoBenchmarks activity --models FOLDER  (paths on standard input)
                       SottoBenchmarks turns --models FOLDER [--pauses MS,…]  (path, tab, second of the cut on standard input)
                       SottoBenchmarks hush --models FOLDER [--clips N] [--seed N] [--gate yes|no]
                       SottoBenchmarks closed-book --model FILE  (questions on standard input)
                       SottoBenchmarks clone --models FOLDER --sample FILE --output FOLDER [--tries N,N…] [--threads N] SENTENCE…
                       SottoBenchmarks extract  (paths of pages on standard input)
                       SottoBenchmarks normalize  (written lines on standard input)
                       SottoBenchmarks score  (reference, tab, hypothesis on standard input)
                """)
        }
    }
}
