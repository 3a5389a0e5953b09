public import SottoComputeBudget
public import SottoLanguageModels
public import SottoObservability
import SottoStreams
internal import Foundation

/// A GGUF chat model run by llama.cpp on this machine's cores.
///
/// ```swift
/// let model = try LlamaModel(LlamaModel.Configuration(path: "…/model.gguf"), budget: budget)
/// let session = try await model.makeSession()
/// for try await event in session.respond(to: [ChatMessage(.user, "Why is the sky blue?")], options: GenerationOptions()) { … }
/// ```
///
/// One context serves all sessions in turn. The model is read on first use and leaves memory after its idle time. What it
/// leaves out: jinja templates beyond those that llama.cpp knows (ChatML stands in), several answers at once, and
/// adapters.
public actor LlamaModel: LanguageModel {
    public nonisolated let name: String
    /// Prompt and answer together: the configured length or the model's trained one, whichever is smaller.
    public nonisolated let contextLength: Int

    private let configuration: Configuration
    private let budget: ComputeBudget
    private let clock: any Clock<Duration>
    private let log: Log
    private let executor = BlockingExecutor(label: "sotto.llama")
    private var loaded: LoadedModel?
    private var turns = TurnQueue()
    /// How many short prompt steps are still to be taken because somebody more urgent was about.
    private var shortSteps = 0
    private var nextSession: UInt64 = 0
    /// Counts uses, so that an idle timer knows whether its model was used since.
    private var uses: UInt64 = 0
    private var idleTimer: Task<Void, Never>?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Looks at the file but does not load it.
    ///
    /// - Parameters:
    ///   - configuration: Which model, and how it uses the machine.
    ///   - budget: Asked before every step.
    ///   - clock: Measures the idle time.
    ///   - log: Receives llama.cpp's messages too, of all models: the library has one log for the process.
    /// - Throws: ``LanguageModelError`` with `.modelNotLoaded` when there is no GGUF file.
    public init(
        _ configuration: Configuration, budget: ComputeBudget, clock: any Clock<Duration> = ContinuousClock(), log: Log = .none
    ) throws(LanguageModelError) {
        let header = try GGUFHeader.read(path: configuration.path)
        self.configuration = configuration
        self.budget = budget
        self.clock = clock
        self.log = log
        name = configuration.name
        contextLength = min(configuration.contextLength, header.contextLength ?? configuration.contextLength)
    }

    deinit { idleTimer?.cancel() }

    /// Whether the weights are in memory.
    public var isLoaded: Bool { loaded != nil }

    public func tokenCount(_ text: String) async throws -> Int {
        try await using { model, _ in
            try model.model.tokenize(text, parsingControlTokens: false, beginning: false).count
        }
    }

    public func tokenCount(_ messages: [ChatMessage]) async throws -> Int {
        try await using { model, _ in try model.tokens(messages).count }
    }

    /// The tokens of a conversation, for tests that compare them with a reference.
    package func tokens(_ messages: [ChatMessage]) async throws -> [Int32] {
        try await using { model, _ in try model.tokens(messages) }
    }

    public func makeSession() async throws -> any LanguageModelSession {
        nextSession += 1
        return LlamaSession(model: self, id: nextSession)
    }

    /// Frees the weights once the running answer, if any, has ended; the next use loads them again.
    ///
    /// - Throws: `CancellationError` when cancelled while it waits.
    public func unload() async throws {
        try await takeTurn()
        defer { turns.release() }
        idleTimer?.cancel()
        loaded = nil
    }

    /// Loads the model, so that the first answer need not wait for it.
    ///
    /// - Throws: ``LanguageModelError`` with `.modelNotLoaded`; `CancellationError`.
    public func load() async throws {
        try await using { _, _ in }
    }

    func generate(
        _ messages: [ChatMessage], options: GenerationOptions, session: UInt64, emit: @Sendable (GenerationEvent) async throws -> Void
    ) async throws {
        try await using { model, flag in
            let limit = max(1, options.maximumTokens)
            let prompt = try prompt(messages, room: limit, with: model)
            var sampler = try TokenSampler(options: options, model: model.model)
            var usage = try await read(prompt, session: session, with: model, flag: flag)
            let prompted = ContinuousClock.now
            let stop = try await write(
                limit: limit, stops: StopSequences(options.stopSequences), with: model, sampler: &sampler, flag: flag, count: &usage.generatedTokens,
                emit: emit)
            usage.generationSeconds = (ContinuousClock.now - prompted).seconds
            log.debug("\(name): \(usage), grammar refusals \(sampler.refusals)")
            try await emit(.finished(stop, usage))
        }
    }

    /// How likely the answer is to begin with each choice, the choices against each other.
    func likelihoods(of choices: [String], after messages: [ChatMessage], session: UInt64) async throws -> ChoiceLikelihoods {
        try await using { model, flag in
            let prompt = try prompt(messages, room: 1, with: model)
            let firsts = try choices.map { choice in
                guard let first = try model.model.tokenize(choice, parsingControlTokens: false, beginning: false).first else {
                    throw LanguageModelError(.badSchema, "a choice may not be empty")
                }
                return first
            }
            guard Set(firsts).count == firsts.count, firsts.isEmpty == false else {
                throw LanguageModelError(.badSchema, "the choices must differ in their first token")
            }
            var usage = try await read(prompt, session: session, with: model, flag: flag)
            usage.generatedTokens = 1
            let logits = try unsafe model.context.withLogits { logits in firsts.map { Double(unsafe logits[Int($0)]) } }
            let largest = logits.max() ?? 0
            let weights = logits.map { exp($0 - largest) }
            let total = weights.reduce(0, +)
            return ChoiceLikelihoods(values: weights.map { $0 / total }, usage: usage)
        }
    }

    /// The tokens of a conversation, when an answer of `room` tokens fits behind them.
    private func prompt(_ messages: [ChatMessage], room: Int, with model: LoadedModel) throws(LanguageModelError) -> [Int32] {
        let prompt = try model.tokens(messages)
        guard prompt.count + room <= contextLength else {
            throw LanguageModelError(
                .contextOverflow,
                "the prompt has \(prompt.count) tokens and the answer may have \(room), but \(name) holds \(contextLength) together")
        }
        return prompt
    }

    /// Computes a prompt but for what a session's earlier pass left computed, and tells what it cost.
    private func read(_ prompt: [Int32], session: UInt64, with model: LoadedModel, flag: CancellationFlag) async throws -> GenerationUsage {
        let started = ContinuousClock.now
        _ = model.cache.begin(prompt, owner: session)
        model.truncate(to: model.cache.tokens.count)
        // The context may have had to forget more than the cache.
        let reused = model.cache.tokens.count
        try await read(prompt, with: model, flag: flag)
        return GenerationUsage(
            promptTokens: prompt.count, reusedTokens: reused, promptSeconds: (ContinuousClock.now - started).seconds)
    }

    /// Computes what is left of a prompt, one step a grant.
    ///
    /// Long steps are as fast as the engine can be, and are given up when hearing or speech has to wait; short ones follow for a while.
    private func read(_ prompt: [Int32], with model: LoadedModel, flag: CancellationFlag) async throws {
        while model.cache.tokens.count < prompt.count {
            let interruption = CancellationFlag()
            do {
                try await budget.withThreads(.languageModel, wish: configuration.threads, interruption: interruption) { threads in
                    let start = model.cache.tokens.count
                    let whole = model.cache.nextStep(remaining: prompt.count - start)
                    let count = shortSteps > 0 ? min(whole, configuration.shortPromptStep) : whole
                    let isShort = count <= configuration.shortPromptStep
                    try model.decode(
                        prompt[start..<start + count], asPrompt: true, wantingLogits: start + count == prompt.count, threads: threads, flag: flag,
                        interruption: isShort ? nil : interruption)
                    if shortSteps > 0 { shortSteps -= 1 }
                }
            } catch is StepInterrupted {
                shortSteps = configuration.shortPromptSteps
            }
        }
    }

    /// Writes an answer, many tokens a grant, so that asking for threads costs nothing.
    private func write(
        limit: Int, stops: StopSequences, with model: LoadedModel, sampler: inout TokenSampler, flag: CancellationFlag, count: inout Int,
        emit: @Sendable (GenerationEvent) async throws -> Void
    ) async throws -> GenerationEvent.Stop {
        var characters = UTF8Assembler()
        var stops = stops
        var stop: GenerationEvent.Stop?
        while stop == nil {
            try await budget.withThreads(.languageModel, wish: configuration.threads) { threads in
                let granted = ContinuousClock.now
                while stop == nil, ContinuousClock.now - granted < configuration.decodeGrant {
                    let token = try unsafe model.context.withLogits { logits in try unsafe sampler.next(logits) }
                    if model.model.endsGeneration(token) {
                        stop = .endOfTurn
                        break
                    }
                    count += 1
                    let (text, isStopped) = stops.add(characters.add(model.model.piece(token)))
                    if text.isEmpty == false { try await emit(.text(text)) }
                    if isStopped {
                        stop = .sequence
                        break
                    }
                    if count == limit {
                        stop = .length
                        break
                    }
                    try model.decode([token], asPrompt: false, wantingLogits: true, threads: threads, flag: flag)
                }
            }
        }
        guard stop != .sequence else { return .sequence }
        let last = stops.add(characters.finish())
        if last.text.isEmpty == false { try await emit(.text(last.text)) }
        guard last.isStopped == false else { return .sequence }
        let rest = stops.finish()
        if rest.text.isEmpty == false { try await emit(.text(rest.text)) }
        return rest.isStopped ? .sequence : stop ?? .endOfTurn
    }

    /// Runs `body` with the model in memory, alone, and starts the idle time afterwards.
    private func using<Value>(_ body: (LoadedModel, CancellationFlag) async throws -> Value) async throws -> Value {
        try await takeTurn()
        defer { endTurn() }
        return try await withCancellationFlag { flag in
            let model: LoadedModel
            if let loaded {
                model = loaded
            } else {
                model = try await budget.withThreads(.languageModel, wish: 1) { _ in
                    LlamaBackend.start(log: log)
                    return try LoadedModel(configuration: configuration, contextLength: contextLength, flag: flag)
                }
                loaded = model
            }
            try Task.checkCancellation()
            return try await body(model, flag)
        }
    }

    private func takeTurn() async throws {
        try Task.checkCancellation()
        idleTimer?.cancel()
        uses += 1
        if turns.take() { return }
        let id = turns.ticket()
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    turns.wait(id, continuation)
                }
            }
        } onCancel: {
            // Unstructured: a cancellation handler is synchronous and may not wait for the actor.
            Task { await self.withdraw(id) }
        }
        guard isMine else { throw CancellationError() }
    }

    private func withdraw(_ id: UInt64) { turns.withdraw(id) }

    private func endTurn() {
        turns.release()
        guard turns.isBusy == false, loaded != nil else { return }
        let use = uses
        // Unstructured because its scope is the pause between two uses, which no caller waits for.
        idleTimer = Task { [weak self, clock, idleTime = configuration.idleTime] in
            guard (try? await clock.sleep(for: idleTime)) != nil else { return }
            await self?.unloadIfUnused(since: use)
        }
    }

    private func unloadIfUnused(since use: UInt64) {
        guard uses == use, turns.isBusy == false else { return }
        loaded = nil
        log.debug("\(name): unloaded after \(configuration.idleTime) without use")
    }
}

extension Duration {
    /// As a floating-point number of seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
