/// What is known of the language of a recording before it is heard. Tags are primary BCP 47 tags in lower case, as `de`.
public enum SpokenLanguage: Sendable, Equatable {
    case fixed(String)
    /// One of these, for the engine to find out; of any that it knows when empty.
    case detected(among: [String])
}
