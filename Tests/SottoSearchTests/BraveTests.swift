import SottoFetching
import SottoSearching
import SottoSecrets
import Testing

@testable import SottoSearch

private struct OneSecret: Secrets {
    var value: String?
    var failure: SecretError?
    func secret(_ name: String) throws(SecretError) -> String? {
        if let failure { throw failure }
        return name == "brave-api-key" ? value : nil
    }
}

@Suite struct BraveTests {
    private let empty = #"{"type":"search","query":{"original":"x"},"mixed":{"type":"mixed"}}"#

    @Test("the key goes into a header, never into the address")
    func key() async throws {
        let empty = empty
        let fetcher = ScriptedFetcher { _ in response(empty, type: "application/json") }
        let outcome = try await Brave(fetcher: fetcher, secrets: OneSecret(value: "s3cret")).search(
            SearchQuery("a&b", language: "pt-BR", freshness: .week, limit: 40), origin: SearchOrigin(job: 3, "the task"))
        #expect(outcome == .empty)
        let request = try #require(fetcher.requests.first)
        #expect(
            request.url
                == "https://api.search.brave.com/res/v1/web/search?q=a%26b&count=20&result_filter=web&text_decorations=false&spellcheck=false&country=BR&search_lang=pt-br&freshness=pw"
        )
        #expect(request.headers.contains(.init("X-Subscription-Token", "s3cret")))
        #expect(request.url.contains("s3cret") == false)
        #expect(request.allowance == nil)
    }

    @Test("without a key nothing is asked, and the user is told how to set one")
    func noKey() async throws {
        let fetcher = ScriptedFetcher { _ in throw FetchError(.connectFailed, "asked") }
        let outcome = try await Brave(fetcher: fetcher, secrets: OneSecret()).search(SearchQuery("x"), origin: SearchOrigin())
        #expect(outcome.kind == .misconfigured)
        #expect(outcome.cause.contains("sotto settings secret brave-api-key"))
        let open = try await Brave(fetcher: fetcher, secrets: OneSecret(failure: SecretError(.openToOthers, "chmod 600"))).search(
            SearchQuery("x"), origin: SearchOrigin())
        #expect(open == .misconfigured("chmod 600"))
        #expect(fetcher.requests.isEmpty)
    }

    @Test(
        "answers without results are told apart",
        arguments: [
            (401, "", SearchOutcome.Kind.misconfigured), (403, "", .misconfigured),
            (422, #"{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}"#, .misconfigured),
            (422, #"{"error":{"code":"VALIDATION"}}"#, .unrecognized), (429, #"{"error":{"code":"RATE_LIMITED"}}"#, .rateLimited),
            (402, "", .rateLimited), (500, "", .unreachable),
            (200, "", .unrecognized), (200, "{}", .unrecognized), (200, #"{"web":{"results":[]}}"#, .unrecognized), (200, "<html>", .unrecognized),
            (200, #"{"type":"search","query":{},"web":{"results":[]}}"#, .empty),
            (200, #"{"type":"search","query":{},"web":{"results":[{"title":"x","url":"ftp://x"}]}}"#, .unrecognized),
        ])
    func status(code: Int, body: String, kind: SearchOutcome.Kind) {
        #expect(Brave.read(response(body, status: code, type: "application/json"), query: SearchQuery("x"), provider: "brave").kind == kind)
    }

    @Test(
        "the wait is the window's that is used up",
        arguments: [
            (["x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "0, 1999"], 1),
            (["x-ratelimit-reset": "1, 5000", "x-ratelimit-remaining": "1, 0"], 5_000),
            (["retry-after": "7"], 7), (["x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "0, 0"], 86_400),
        ])
    func wait(headers: [String: String], seconds: Int) {
        let outcome = Brave.read(response("{}", status: 429, headers: headers), query: SearchQuery("x"), provider: "brave")
        #expect(outcome == .rateLimited("Brave says that there were too many searches (HTTP 429)", retryAfter: .seconds(seconds)))
    }
}
