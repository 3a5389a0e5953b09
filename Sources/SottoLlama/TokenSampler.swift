import CLlama
import SottoLanguageModels

/// Chooses the tokens of one answer from the logits, inside a grammar when there is one.
///
/// The grammar is asked about the token that would be chosen anyway, and only when it refuses about others: asking it
/// about all 150 000 of a vocabulary costs 4 to 17 ms a token. For greedy answers the next best sixty-four are asked
/// first; since they are the largest logits, the largest allowed one among them is the largest allowed of all.
@safe struct TokenSampler: ~Copyable {
    private static let shortList = 64

    private let grammar: UnsafeMutablePointer<llama_sampler>?
    /// Temperature and nucleus; `nil` is greedy.
    private let chain: UnsafeMutablePointer<llama_sampler>?
    private var candidates: [llama_token_data] = []
    /// How often the grammar refused the first choice, for reports.
    private(set) var refusals = 0

    /// - Throws: ``LanguageModelError`` with `.badSchema` when llama.cpp refuses the schema's grammar.
    init(options: GenerationOptions, model: ModelHandle) throws(LanguageModelError) {
        if let schema = options.schema {
            let text = try schema.grammar()
            LlamaBackend.clearErrors()
            guard let grammar = unsafe llama_sampler_init_grammar(model.vocabulary, text, "root") else {
                throw LanguageModelError(.badSchema, "llama.cpp refused the grammar: \(LlamaBackend.lastError() ?? "no reason given")")
            }
            unsafe self.grammar = grammar
        } else {
            unsafe grammar = nil
        }
        if options.temperature > 0 {
            let chain = unsafe llama_sampler_chain_init(llama_sampler_chain_default_params())
            unsafe llama_sampler_chain_add(chain, llama_sampler_init_top_p(Float(options.topP), 1))
            unsafe llama_sampler_chain_add(chain, llama_sampler_init_temp(Float(options.temperature)))
            unsafe llama_sampler_chain_add(chain, llama_sampler_init_dist(options.seed))
            unsafe self.chain = chain
        } else {
            unsafe chain = nil
        }
    }

    deinit {
        if let grammar = unsafe grammar { unsafe llama_sampler_free(grammar) }
        if let chain = unsafe chain { unsafe llama_sampler_free(chain) }
    }

    /// Chooses the next token and tells the grammar, exactly once.
    mutating func next(_ logits: UnsafeBufferPointer<Float>) throws -> Int32 {
        var token = unsafe chain == nil ? largest(logits) : draw(logits, obeying: nil)
        if let grammar = unsafe grammar {
            if unsafe allowed([llama_token_data(id: token, logit: 1, p: 0)], by: grammar) == nil {
                refusals += 1
                token = unsafe chain == nil ? largest(logits, obeying: grammar) : draw(logits, obeying: grammar)
                guard token >= 0, unsafe allowed([llama_token_data(id: token, logit: 1, p: 0)], by: grammar) != nil else {
                    throw LanguageModelError(.engineFailed, "no token fits the grammar here; simplify the schema")
                }
            }
            unsafe llama_sampler_accept(grammar, token)
        }
        return token
    }

    private func largest(_ logits: UnsafeBufferPointer<Float>) -> Int32 {
        var best = 0
        for index in logits.indices where unsafe logits[index] > logits[best] { best = index }
        return Int32(best)
    }

    private mutating func largest(_ logits: UnsafeBufferPointer<Float>, obeying grammar: UnsafeMutablePointer<llama_sampler>) -> Int32 {
        if let token = unsafe allowed(bestCandidates(logits), by: grammar) { return token }
        unsafe fill(logits)
        return unsafe allowed(candidates, by: grammar) ?? -1
    }

    /// The largest logits, unordered.
    private func bestCandidates(_ logits: UnsafeBufferPointer<Float>) -> [llama_token_data] {
        var best: [llama_token_data] = []
        var smallest = 0
        for index in logits.indices {
            let logit = unsafe logits[index]
            let candidate = llama_token_data(id: Int32(index), logit: logit, p: 0)
            if best.count < Self.shortList {
                best.append(candidate)
                if logit < best[smallest].logit { smallest = best.count - 1 }
            } else if logit > best[smallest].logit {
                best[smallest] = candidate
                for position in best.indices where best[position].logit < best[smallest].logit { smallest = position }
            }
        }
        return best
    }

    /// The allowed token with the largest logit.
    private func allowed(_ list: [llama_token_data], by grammar: UnsafeMutablePointer<llama_sampler>) -> Int32? {
        var list = list
        return unsafe list.withUnsafeMutableBufferPointer { list in
            var array = unsafe llama_token_data_array(data: list.baseAddress, size: list.count, selected: -1, sorted: false)
            unsafe llama_sampler_apply(grammar, &array)
            var best: llama_token_data?
            for index in list.indices {
                let candidate = unsafe list[index]
                guard candidate.logit > -.infinity else { continue }
                if let known = best, known.logit >= candidate.logit { continue }
                best = candidate
            }
            return best?.id
        }
    }

    private mutating func draw(_ logits: UnsafeBufferPointer<Float>, obeying grammar: UnsafeMutablePointer<llama_sampler>?) -> Int32 {
        unsafe fill(logits)
        return unsafe candidates.withUnsafeMutableBufferPointer { list in
            var array = unsafe llama_token_data_array(data: list.baseAddress, size: list.count, selected: -1, sorted: false)
            if let grammar = unsafe grammar { unsafe llama_sampler_apply(grammar, &array) }
            if let chain = unsafe chain { unsafe llama_sampler_apply(chain, &array) }
            let selected = unsafe Int(array.selected)
            guard selected >= 0, unsafe selected < array.size else { return -1 }
            return unsafe array.data[selected].id
        }
    }

    private mutating func fill(_ logits: UnsafeBufferPointer<Float>) {
        candidates.removeAll(keepingCapacity: true)
        candidates.reserveCapacity(logits.count)
        for index in logits.indices {
            candidates.append(llama_token_data(id: Int32(index), logit: unsafe logits[index], p: 0))
        }
    }
}
