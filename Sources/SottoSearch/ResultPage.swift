internal import Foundation
internal import SottoFetching
internal import SottoPages
internal import SottoSearching

/// What was found on a result page, and the rules by which it is called one thing or another.
///
/// Hits come first: a page with results is a page of results, whatever its text says. Only without any are marks looked for, and those of markup
/// (an id, a class, a form's target) before those of words, for a query can put words on a page but no markup. Words count in headings only, and only
/// when they are not the query's own.
struct ResultPage {
    var hits: [SearchHit]
    /// The provider's own mark for "nothing found".
    var saysEmpty = false
    var advertisements = 0

    func outcome(of root: MarkupElement, response: FetchResponse, query: SearchQuery, at name: String) -> SearchOutcome {
        if hits.isEmpty == false { return .results(hits) }
        if let challenge = Self.challenge(in: root) { return .blocked("\(name) shows a challenge for people instead of results (\(challenge))") }
        switch response.status {
        case 202: return .blocked("\(name) did not answer but put the search off (HTTP 202), as it does with robots")
        case 401, 403, 418, 451: return .blocked("\(name) refuses the search (HTTP \(response.status))")
        default: break
        }
        if let outcome = ProviderRequest.outcome(of: response, at: name) { return outcome }
        if saysEmpty, response.status == 200 { return .empty }
        if Self.asksForPeople(root, query: query) { return .blocked("\(name) asks whether a person is searching") }
        let reason =
            advertisements > 0
            ? "it has advertisements and neither results nor the mark for none" : "it has neither results nor the mark for none"
        return .unrecognized(UnrecognizedPage(reason: reason, status: response.status, body: response.body))
    }

    /// The mark of a challenge in markup.
    static func challenge(in root: MarkupElement) -> String? {
        let ids: Set<String> = [
            "challenge-form", "challenge-running", "challenge-stage", "captcha-form", "captcha", "cf-wrapper", "cf-error-details",
        ]
        let classes = [
            "anomaly-modal__mask", "anomaly-modal__modal", "anomaly-modal__title", "g-recaptcha", "h-captcha", "cf-turnstile", "frc-captcha",
        ]
        let targets = ["/anomaly.js", "/cdn-cgi/challenge-platform", "/recaptcha/", "hcaptcha.com/", "challenges.cloudflare.com/", "/sorry/index"]
        for element in root.all(where: { $0.attributes.isEmpty == false }) {
            if let id = element.attributes["id"], ids.contains(id) { return "#" + id }
            if element.attributes["class"] != nil, let found = classes.first(where: { element.has($0) }) { return "." + found }
            guard ["form", "iframe", "script"].contains(element.tag), let target = element.attributes["action"] ?? element.attributes["src"] else {
                continue
            }
            // A query may stand behind the question mark.
            let place = target.prefix { $0 != "?" && $0 != "#" }
            if let found = targets.first(where: { place.contains($0) }) { return found }
        }
        return nil
    }

    private static let pleas = [
        "verify you are human", "verify that you are human", "are you a robot", "are you human", "not a robot", "unusual traffic",
        "bots use duckduckgo too",
        "complete the captcha", "security check", "access denied", "too many requests", "checking your browser",
    ]

    /// A heading that asks who is searching.
    static func asksForPeople(_ root: MarkupElement, query: SearchQuery) -> Bool {
        let own = query.text.lowercased()
        return root.all(where: { ["h1", "h2", "h3"].contains($0.tag) }).contains { heading in
            var words = heading.line.lowercased()
            if own.isEmpty == false { words = words.replacingOccurrences(of: own, with: " ") }
            return pleas.contains { words.contains($0) }
        }
    }
}
