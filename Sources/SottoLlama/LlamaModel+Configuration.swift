public import Foundation

extension LlamaModel {
    /// Which model, and how it uses the machine.
    public struct Configuration: Sendable {
        /// The GGUF file.
        public var path: String
        /// For people and reports.
        public var name: String
        /// The most tokens that prompt and answer may have together; the model's trained length bounds it.
        public var contextLength: Int
        /// The most threads to ask the budget for.
        public var threads: Int
        /// Tokens of one prompt step. A step that hearing or speech has to wait for is given up within one operation and taken again in
        /// short steps.
        ///
        /// Qwen2.5-Coder-1.5B Q4_K_M read 42–44 tokens a second in steps of 32, 51–53 in steps of 128 and 50–53 in steps of 512 (one thread,
        /// AVX2, quiet machine, 512 tokens): 128 is as fast as the engine gets, and the least that is lost when a step is given up.
        public var promptStep: Int
        /// Tokens of one prompt step while hearing or speech is busy: what they may have to wait for, 0.8 s with the default model on one thread.
        public var shortPromptStep = 32
        /// How many short steps are taken before long ones are tried again.
        public var shortPromptSteps = 8
        /// How long one grant of threads lasts while an answer is written.
        public var decodeGrant: Duration
        /// After how long without use the model leaves memory.
        public var idleTime: Duration
        /// How eagerly waiting threads poll between steps, 0–100; `nil` starts them anew in each step.
        package var polling: UInt32?

        /// - Parameters:
        ///   - path: The GGUF file.
        ///   - name: For people and reports; the folder's name when `nil`, as models are stored by id.
        ///   - contextLength: Tokens of prompt and answer together.
        ///   - threads: The most threads to ask the budget for.
        ///   - promptStep: Tokens of one prompt step.
        ///   - decodeGrant: How long one grant of threads lasts while an answer is written.
        ///   - idleTime: After how long without use the model leaves memory.
        public init(
            path: String, name: String? = nil, contextLength: Int = 8192,
            threads: Int = ProcessInfo.processInfo.activeProcessorCount, promptStep: Int = 128,
            decodeGrant: Duration = .milliseconds(100), idleTime: Duration = .seconds(300)
        ) {
            self.path = path
            self.name = name ?? URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent
            self.contextLength = max(64, contextLength)
            self.threads = max(1, threads)
            self.promptStep = max(1, promptStep)
            self.decodeGrant = decodeGrant
            self.idleTime = idleTime
        }
    }
}
