import Foundation
import SottoComputeBudget
import SottoLlama
import SottoMachineLoad

/// The real models of these tests, where the model store keeps them.
enum LocalModel {
    static let smallest = path("smollm2-135m-instruct-q4_1")
    static let hasSmallest = FileManager.default.fileExists(atPath: smallest)

    static func path(_ id: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
        return (environment["SOTTO_MODELS"] ?? cache + "/sotto/models") + "/\(id)/model.gguf"
    }

    /// The smallest model with a budget of its own.
    static func load(
        contextLength: Int = 2048, threads: Int = 1, idleTime: Duration = .seconds(300), clock: any Clock<Duration> = ContinuousClock()
    ) throws -> LlamaModel {
        try LlamaModel(
            LlamaModel.Configuration(path: smallest, contextLength: contextLength, threads: threads, idleTime: idleTime),
            budget: ComputeBudget(threads: threads, load: LinuxMachineLoad()), clock: clock)
    }
}
