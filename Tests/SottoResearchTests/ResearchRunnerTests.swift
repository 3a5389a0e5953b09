import SottoDocument
import SottoLanguageModels
import SottoPassageIndex
import SottoResearch
import SottoTestSupport
import Synchronization
import Testing

/// Finds the passages whose words a query shares, as written in the test.
private struct FixedEvidence: EvidenceSource {
    let passages: [PassageHit]

    func passages(matching query: String, task: ResearchTask, limit: Int) async throws -> [PassageHit] {
        let words = Set(query.lowercased().split(separator: " ").map { $0.filter { "?.".contains($0) == false } })
        return Array(passages.filter { words.intersection($0.passage.text.lowercased().split(separator: " ").map(String.init)).count > 1 }.prefix(limit))
    }
}

private let sudo = PassageHit(
    location: "/book/sudo.html", title: "Configuration", language: "en",
    passage: Passage(text: "administrators edit the sudoers file with visudo because visudo checks the syntax", headings: ["Rights"], offset: 40, ordinal: 3),
    score: 2)
private let quota = PassageHit(
    location: "/book/quota.html", title: "Quotas", language: "en",
    passage: Passage(text: "edquota changes the disk quota limits of a user file", ordinal: 0), score: 1)

private func task(_ question: String, mode: ResearchTask.Mode = .balanced) -> ResearchTask {
    ResearchTask(question: question, mode: mode, today: "Monday, 30 November 2026")
}

/// Answers the passes by what they ask for.
private func model(plan: String = #"{"queries":["edit sudoers file"]}"#, claims: String, summary: String = "") -> ScriptedLanguageModel {
    ScriptedLanguageModel { messages, options in
        if messages.count > 2 { return summary }
        switch options.schema {
        case .object(let properties) where properties.first?.name == "queries": return plan
        default: return claims
        }
    }
}

@Suite struct ResearchRunnerTests {
    private let evidence = FixedEvidence(passages: [quota, sudo])
    private let question = "Which program should edit the sudoers file?"

    @Test("claims become findings with marks, a source table and a summary")
    func answered() async throws {
        let model = model(
            claims: #"{"answered":true,"claims":[{"text":"Edit the sudoers file with visudo.","sources":[2]},{"text":"visudo checks the syntax.","sources":[2]}],"gaps":[]}"#,
            summary: "Edit the sudoers file with visudo. visudo checks the syntax.")
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task(question))
        #expect(result.status == .answered)
        #expect(result.claims.map(\.verdict) == [.supported, .supported])
        #expect(result.claims[0].sources == [1])
        #expect(result.sources.map(\.location) == ["/book/sudo.html", "/book/quota.html"])
        #expect(result.sources[0].passages == [.init(id: "1.1", text: sudo.passage.text, heading: "Rights", offset: 40)])
        #expect(result.findings.hasPrefix("Edit the sudoers file with visudo. [1]"))
        #expect(result.summary == "Edit the sudoers file with visudo. visudo checks the syntax.")
        #expect(result.queries == [question, "edit sudoers file"])
    }

    @Test("a claim that names the wrong passage is cited to the one that states it")
    func wrongPassage() async throws {
        let model = model(claims: #"{"answered":true,"claims":[{"text":"Edit the sudoers file with visudo.","sources":[1]}],"gaps":[]}"#)
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task(question))
        #expect(result.claims[0].verdict == .supported)
        #expect(result.sources[0].location == "/book/sudo.html")
    }

    @Test("an invented claim is not shown as found, and the counts say so")
    func invented() async throws {
        let model = model(
            claims: #"{"answered":true,"claims":[{"text":"Use vipw 4.2 for the sudoers file.","sources":[2]},{"text":"Edit the sudoers file with visudo.","sources":[2]}],"gaps":[]}"#)
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task(question))
        #expect(result.claims.map(\.verdict) == [.notFound, .supported])
        #expect(result.counts == .init(checked: 2, supported: 1, notFound: 1))
        #expect(result.findings.contains("vipw") == false)
        #expect(result.summary.contains("vipw") == false)
    }

    @Test("when the model says that nothing answers, no claim is shown as supported")
    func refused() async throws {
        let model = model(claims: #"{"answered":false,"claims":[{"text":"visudo checks the syntax.","sources":[2]}],"gaps":["the price of visudo"]}"#)
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task("What does it cost to edit the sudoers file?"))
        #expect(result.status == .notAnswered)
        #expect(result.counts.supported == 0)
        #expect(result.sources.allSatisfy { $0.cited == false })
        #expect(result.gaps == ["the price of visudo"])
        #expect(result.summary == "The sources I read do not answer that.")
    }

    @Test("nothing found: no source is listed and the model is not asked for claims")
    func nothingFound() async throws {
        let model = model(claims: "")
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task("Where do penguins sleep?"))
        #expect(result.status == .nothingFound)
        #expect(result.sources.isEmpty)
        #expect(model.calls.count == 1)
    }

    @Test("without a model the result is a digest of sentences, word for word, and says so")
    func digest() async throws {
        let result = try await ResearchRunner(sources: [evidence], model: nil).run(task("edit sudoers file visudo"))
        #expect(result.status == .digest)
        #expect(result.claims.map(\.text) == [sudo.passage.text])
        #expect(result.findings.contains("Extractive digest"))
        #expect(result.model.isEmpty)
    }

    @Test("a plan that is not what was asked for costs the plan only", arguments: ["I cannot plan.", #"{"queries": ["#])
    func brokenPlan(plan: String) async throws {
        let model = model(plan: plan, claims: #"{"answered":true,"claims":[{"text":"Edit the sudoers file with visudo.","sources":[1]}],"gaps":[]}"#)
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task(question))
        #expect(result.queries == [question])
        #expect(result.status == .answered)
    }

    @Test("a summary that adds something is replaced by the claims")
    func inventedSummary() async throws {
        let claims = #"{"answered":true,"claims":[{"text":"Edit the sudoers file with visudo.","sources":[2]},{"text":"visudo checks the syntax.","sources":[2]}],"gaps":[]}"#
        let model = model(claims: claims, summary: "Edit the sudoers file with visudo 9 by Bob.")
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task(question))
        #expect(result.summary == "Edit the sudoers file with visudo. visudo checks the syntax.")
    }

    @Test("the passages stay within the token budget, and what was left out is counted")
    func budget() async throws {
        let model = model(claims: #"{"answered":false,"claims":[],"gaps":[]}"#)
        var limits = ResearchLimits(.quick)
        limits.passageTokens = 20
        let result = try await ResearchRunner(sources: [evidence], model: model).run(task(question), limits: limits)
        #expect(result.sources.count == 1)
        #expect(result.leftOut == 1)
    }

    @Test("a cancel reaches the caller as a cancellation")
    func cancellation() async throws {
        let running = Task {
            let endless = ScriptedLanguageModel(steps: { _, _ in [.hang] })
            return try await ResearchRunner(sources: [evidence], model: endless).run(task(question))
        }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}
