internal import Foundation
internal import SottoFetching
internal import SottoPages
internal import SottoSearching

/// One request of a provider and what became of it, in the words of search.
struct ProviderRequest: Sendable {
    enum Reply: Sendable {
        case response(FetchResponse)
        case failure(SearchOutcome)
    }

    enum Markup {
        case root(MarkupElement)
        case failure(SearchOutcome)
    }

    let fetcher: any Fetching
    /// Whether the address comes from the settings: then what is wrong with it can be corrected there.
    var isConfigured = false

    /// A search by GET, in the name of whoever asks.
    static func fetch(_ base: String, _ pairs: KeyValuePairs<String, String?>, origin: SearchOrigin) -> FetchRequest {
        var fetch = FetchRequest(address(base, pairs), purpose: .search)
        fetch.job = origin.job
        fetch.origin = origin.words
        return fetch
    }

    func send(_ request: FetchRequest) async throws(CancellationError) -> Reply {
        do {
            return .response(try await fetcher.fetch(request))
        } catch let error as CancellationError {
            throw error
        } catch let error as FetchError {
            return .failure(outcome(of: error))
        } catch {
            // What a cancelled task's transport throws besides is the cancellation too.
            if Task.isCancelled { throw CancellationError() }
            return .failure(.unreachable(String(describing: error)))
        }
    }

    private func outcome(of error: FetchError) -> SearchOutcome {
        switch error.code {
        case .researchOff, .offline: return .misconfigured(error.message)
        case .invalidAddress, .unsupportedScheme, .credentialsInAddress, .forbiddenAddress, .redirectRefused, .tooManyRedirects, .redirectLoop:
            return isConfigured ? .misconfigured(error.message) : .unreachable(error.message)
        case .rateLimited: return .rateLimited(error.message, retryAfter: nil)
        case .forbiddenByServer, .disallowedByRobots: return .blocked(error.message)
        case .malformedResponse, .badEncoding, .decompressionBomb, .tooLarge, .unsupportedKind, .unexpectedStatus, .notFound:
            return .unrecognized(UnrecognizedPage(reason: error.message, status: 0, body: []))
        case .ledgerFailed, .nameNotFound, .connectFailed, .connectTimedOut, .tlsFailed, .stalled, .deadlineExceeded, .connectionBroken,
            .serverFailed,
            .robotsUnreachable:
            return .unreachable(error.message)
        }
    }

    /// The elements of a result page, or that it is none.
    static func markup(of response: FetchResponse) throws(CancellationError) -> Markup {
        do {
            return .root(try MarkupElement.parse(response.body, charset: response.charset))
        } catch let error as CancellationError {
            throw error
        } catch {
            return .failure(.unrecognized(UnrecognizedPage(reason: String(describing: error), status: response.status, body: response.body)))
        }
    }

    /// What the status alone says; `nil` when the body decides.
    static func outcome(of response: FetchResponse, at name: String) -> SearchOutcome? {
        switch response.status {
        case 429: .rateLimited("\(name) says that there were too many searches (HTTP 429)", retryAfter: wait(of: response))
        case 500..<600: .unreachable("\(name) has a fault of its own (HTTP \(response.status))")
        default: nil
        }
    }

    /// `Retry-After`, at most a day.
    static func wait(of response: FetchResponse) -> Duration? {
        response.retryAfter.flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil }
    }

    /// An address with a query, every reserved character of the values encoded.
    static func address(_ base: String, _ pairs: KeyValuePairs<String, String?>) -> String {
        let query = pairs.compactMap { pair in pair.value.map { "\(encoded(pair.key))=\(encoded($0))" } }.joined(separator: "&")
        return query.isEmpty ? base : base + (base.contains("?") ? "&" : "?") + query
    }

    private static let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    private static func encoded(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }

    static func languages(of query: SearchQuery) -> [String] {
        guard let language = query.language else { return [] }
        guard let primary = query.primaryLanguage, primary != language.lowercased() else { return [language] }
        return [language, primary]
    }
}
