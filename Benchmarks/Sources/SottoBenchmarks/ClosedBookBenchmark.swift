import Foundation
import SottoComputeBudget
import SottoLanguageModels
import SottoLlama
import SottoMachineLoad

/// The control of the quality table: the same model, asked the same questions, without anything to read.
struct ClosedBookBenchmark {
    private var model = ""

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.count > 1 {
            if arguments.removeFirst() == "--model" { model = arguments.removeFirst() }
        }
    }

    /// One question a line on standard input; one line of JSON with the answer for each.
    func run() async throws {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let engine = try LlamaModel(
            LlamaModel.Configuration(path: model, threads: threads), budget: ComputeBudget(threads: threads, load: LinuxMachineLoad()))
        while let question = readLine() {
            let messages = [
                ChatMessage(
                    .system,
                    "You answer questions in one or two short sentences. If you do not know the answer, say only: I do not know."),
                ChatMessage(.user, question),
            ]
            let answer = try await engine.makeSession().respond(to: messages, options: GenerationOptions(maximumTokens: 90)).collect()
            let line = ["question": question, "answer": answer.text]
            print(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
        }
    }
}
