/// The methods that this server knows; any other is answered with 501.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether the method promises to change nothing.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options: true
        case .post, .put, .patch, .delete: false
        }
    }
}
