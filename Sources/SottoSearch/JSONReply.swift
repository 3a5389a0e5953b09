internal import Foundation
internal import SottoPages
internal import SottoSearching

/// A JSON object of a provider, read leniently: a member of the wrong kind counts as missing.
struct JSONReply {
    private let members: [String: Any]

    init?(_ bytes: [UInt8]) {
        guard let members = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else { return nil }
        self.members = members
    }

    private init(members: [String: Any]) { self.members = members }

    func has(_ key: String) -> Bool { members[key] != nil }
    func text(_ key: String) -> String? { members[key] as? String }
    func object(_ key: String) -> JSONReply? { (members[key] as? [String: Any]).map { JSONReply(members: $0) } }
    /// `nil` when there is no such list; elements that are not objects are left out.
    func objects(_ key: String) -> [JSONReply]? { (members[key] as? [Any])?.compactMap { ($0 as? [String: Any]).map { JSONReply(members: $0) } } }
    /// Lists of lists of texts, as SearXNG names its failed engines.
    func pairs(_ key: String) -> [[String]] { ((members[key] as? [Any]) ?? []).compactMap { ($0 as? [Any])?.compactMap { $0 as? String } } }

    /// A plain text in one line, without hidden characters.
    func line(_ key: String) -> String { text(key).map { MarkupElement.line(ofPlain: $0) } ?? "" }

    /// A text with markup and character references, in one plain line.
    func markedLine(_ key: String) -> String {
        guard let text = text(key) else { return "" }
        return (try? MarkupElement.parse(text: text, deadline: .seconds(1), maximumNodes: 5_000))?.line ?? ""
    }
}

extension SearchOutcome {
    static func notJSON(_ response: (status: Int, body: [UInt8])) -> SearchOutcome {
        .unrecognized(UnrecognizedPage(reason: "it is not the JSON that was asked for", status: response.status, body: response.body))
    }
}
