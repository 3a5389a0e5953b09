import Foundation
import SottoComputeBudget
import SottoLanguageModels
import SottoLlama
import SottoMachineLoad

/// Tokens a second of prompt and answer, through the same protocol that the product uses.
struct GenerateBenchmark {
    private var model = ""
    private var threads = 2
    private var prompt = 512
    private var tokens = 128
    private var passes = 1
    private var step = 0
    private var isGuided = false

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while arguments.isEmpty == false {
            let name = arguments.removeFirst()
            if name == "--guided" {
                isGuided = true
                continue
            }
            guard arguments.isEmpty == false else { break }
            let value = arguments.removeFirst()
            switch name {
            case "--model": model = value
            case "--threads": threads = Int(value) ?? threads
            case "--prompt": prompt = Int(value) ?? prompt
            case "--tokens": tokens = Int(value) ?? tokens
            case "--passes": passes = Int(value) ?? passes
            case "--step": step = Int(value) ?? step
            default: print("unknown option \(name)")
            }
        }
    }

    func run() async throws {
        var configuration = LlamaModel.Configuration(path: model, contextLength: prompt + tokens + 512, threads: threads)
        if step > 0 { configuration.promptStep = step }
        let engine = try LlamaModel(configuration, budget: ComputeBudget(threads: threads, load: LinuxMachineLoad()))
        try await engine.load()
        // Loading is over; one short answer touches every page of the weights.
        _ = try await engine.makeSession().respond(to: [ChatMessage(.user, "Hi")], options: GenerationOptions(maximumTokens: 8)).collect()
        for pass in 0..<passes {
            // Another beginning each time, so that nothing is reused.
            let text = try await padded(engine, beginning: "Pass \(pass * 7919).", to: prompt)
            let session = try await engine.makeSession()
            let reading = try await session.respond(to: [ChatMessage(.user, text)], options: GenerationOptions(maximumTokens: 1)).collect().usage
            var options = GenerationOptions(maximumTokens: tokens)
            if isGuided {
                options.schema = .object([.init("numbers", .array(of: .string(minimumLength: 3, maximumLength: 60), minimum: 60, maximum: 60))])
            }
            let writing = try await engine.makeSession().respond(
                to: [ChatMessage(.user, "Pass \(pass): write a story about a fox and a lamp, of at least a thousand words.")], options: options
            ).collect().usage
            let line: [String: Any] = [
                "name": "generate", "model": engine.name, "threads": threads, "step": configuration.promptStep, "guided": isGuided,
                "promptTokens": reading.promptTokens - reading.reusedTokens,
                "promptTokensPerSecond": Double(reading.promptTokens - reading.reusedTokens) / reading.promptSeconds,
                "generatedTokens": writing.generatedTokens,
                "generatedTokensPerSecond": Double(writing.generatedTokens) / writing.generationSeconds,
            ]
            let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
            print(String(decoding: data, as: UTF8.self))
        }
    }

    /// A text whose whole prompt has about so many tokens.
    private func padded(_ engine: LlamaModel, beginning: String, to count: Int) async throws -> String {
        var text = beginning
        while try await engine.tokenCount([ChatMessage(.user, text)]) < count - 8 { text += " The lamp in the next room is off." }
        return text
    }
}
