import Foundation

/// A refusal that says what to do, sent as `application/problem+json` (RFC 9457). Handlers throw it.
public struct Problem: Error, Sendable, Equatable {
    /// Of HTTP, 400…599.
    public var status: Int
    /// What is the matter, for programs; part of the interface and never renamed, for example `body-too-large`.
    public var code: String
    /// What is the matter and what to do, for people.
    public var detail: String
    /// Fields that the answer carries besides, for example `Retry-After`.
    public var headers: [HTTPHeaders.Field]
    /// Whether the connection cannot be used any more: what follows on it cannot be told apart.
    var closes = false

    public init(_ status: Int, _ code: String, _ detail: String, headers: [HTTPHeaders.Field] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    /// A message whose borders are not certain: it is answered and the connection ends.
    static func malformed(_ status: Int, _ code: String, _ detail: String) -> Problem {
        var problem = Problem(status, code, detail)
        problem.closes = true
        return problem
    }

    /// The answer.
    public var response: HTTPResponse {
        struct Report: Encodable {
            var type: String
            var title: String
            var status: Int
            var code: String
            var detail: String
        }
        let report = Report(type: "urn:sotto:problem:\(code)", title: HTTPStatus.reason(status), status: status, code: code, detail: detail)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and a number always encode.
        let body = (try? encoder.encode(report)).map { [UInt8]($0) } ?? []
        var response = HTTPResponse(status: status, headers: HTTPHeaders([.init("Content-Type", "application/problem+json")]), body: .whole(body))
        for field in headers { response.headers.add(field.name, field.value) }
        return response
    }
}
