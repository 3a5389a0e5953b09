import CCurl

/// libcurl as a whole.
package enum CurlLibrary {
    /// libcurl asks for one call before any thread uses it; a global constant is made exactly once.
    private static let globalState: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Makes libcurl ready; cheap after the first call, from any thread.
    package static func start() { _ = globalState }
}
