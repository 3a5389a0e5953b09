/// What a provider can be expected to know.
public enum SearchScope: String, Sendable, Codable {
    /// The web: when it says that there is nothing, that means something.
    case web
    /// Ready facts on few subjects: finding nothing means nothing.
    case facts
    /// Archives of the user's own: asked beside the web, never instead of it.
    case local
}
