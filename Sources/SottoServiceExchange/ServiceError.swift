/// A refusal as clients of the OpenAI interface expect it.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Of HTTP.
    public var status: Int
    /// `invalid_request_error` or `server_error`.
    public var type: String
    public var message: String
    /// The parameter that is wrong.
    public var parameter: String?
    public var code: String?

    public init(status: Int, type: String = "invalid_request_error", _ message: String, parameter: String? = nil, code: String? = nil) {
        self.status = status
        self.type = type
        self.message = message
        self.parameter = parameter
        self.code = code
    }

    public var description: String { message }

    /// For a model that nobody knows.
    public static func unknownModel(_ name: String) -> ServiceError {
        ServiceError(status: 404, "the model \"\(name)\" does not exist", parameter: "model", code: "model_not_found")
    }

    package static func bad(_ message: String, _ parameter: String? = nil, code: String? = nil) -> ServiceError {
        ServiceError(status: 400, message, parameter: parameter, code: code)
    }

    /// The answer that says so.
    public var response: ServiceResponse {
        let body = (try? ServiceJSON.bytes(Report(self))) ?? []
        return ServiceResponse(status: status, headers: [("Content-Type", "application/json")], body: .whole(body))
    }

    /// The error's own object.
    package struct Report: Encodable {
        package struct Fields: Encodable {
            let error: ServiceError

            package init(_ error: ServiceError) { self.error = error }

            enum CodingKeys: String, CodingKey { case message, type, param, code }

            package func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(error.message, forKey: .message)
                try container.encode(error.type, forKey: .type)
                // Both are there always, null where there is nothing to say.
                try container.encode(error.parameter, forKey: .param)
                try container.encode(error.code, forKey: .code)
            }
        }

        package var error: Fields

        package init(_ error: ServiceError) { self.error = Fields(error) }
    }
}
