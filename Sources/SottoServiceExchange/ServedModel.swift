/// A model as `GET /v1/models` of the OpenAI interface lists it.
public struct ServedModel: Sendable, Equatable, Encodable {
    public var id: String
    /// Always `model`.
    public let object = "model"
    /// Seconds since 1970.
    public var created: Int
    public var ownedBy: String

    /// - Parameter created: Seconds since 1970, when the model was made or installed.
    public init(id: String, created: Int, ownedBy: String) {
        self.id = id
        self.created = created
        self.ownedBy = ownedBy
    }

    private enum CodingKeys: String, CodingKey {
        case id, object, created
        case ownedBy = "owned_by"
    }
}

extension ServiceResponse {
    private struct ModelList: Encodable {
        var object = "list"
        var data: [ServedModel]
    }

    /// `GET /v1/models`.
    public static func models(_ models: [ServedModel]) -> ServiceResponse { answer(ModelList(data: models)) }

    /// `GET /v1/models/{id}`: the model, or the error that there is none.
    public static func model(_ id: String, among models: [ServedModel]) -> ServiceResponse {
        guard let model = models.first(where: { $0.id == id }) else { return ServiceError.unknownModel(id).response }
        return answer(model)
    }

    private static func answer(_ value: some Encodable) -> ServiceResponse {
        do {
            return try .json(value)
        } catch {
            return ServiceError(status: 500, type: "server_error", "\(error)").response
        }
    }
}
