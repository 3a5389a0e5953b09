import CCurl
import Foundation
public import SottoFetching

/// An http or https address in one form: what is checked is what is dialed.
///
/// libcurl's own parser takes it apart, so that no second opinion about where the host ends can exist; the host is then normalized
/// (``HostName``), and libcurl is given the address put together again from its parts.
public struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    public let origin: WebOrigin
    /// Path and query, percent-encoded; begins with `/`.
    public let target: String

    /// - Parameters:
    ///   - text: An absolute address; with `base`, a relative one too. A fragment is dropped.
    ///   - base: What a relative address starts from (RFC 3986 §5).
    /// - Throws: ``FetchError`` with `.invalidAddress`, `.unsupportedScheme` or `.credentialsInAddress`.
    public init(_ text: String, relativeTo base: WebAddress? = nil) throws(FetchError) {
        let cleaned = try Self.cleaned(text)
        guard let url = unsafe curl_url() else { throw FetchError(.invalidAddress, "libcurl could not be started") }
        defer { unsafe curl_url_cleanup(url) }
        if let base {
            guard unsafe curl_url_set(url, CURLUPART_URL, base.description, 0) == CURLUE_OK else {
                throw FetchError(.invalidAddress, "\(base) is no address")
            }
        }
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME)
        let result = unsafe curl_url_set(url, CURLUPART_URL, cleaned, flags)
        let shown = cleaned.prefix(200)
        switch result {
        case CURLUE_OK: break
        case CURLUE_USER_NOT_ALLOWED:
            throw FetchError(
                .credentialsInAddress, "an address with a name or password in it is not asked; take what stands before the \"@\" out of it")
        default:
            throw FetchError(.invalidAddress, "\"\(shown)\" is no address: \(unsafe String(cString: curl_url_strerror(result)))")
        }
        func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(url, part, &text, flags) == CURLUE_OK, let text = unsafe text else { return nil }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        let scheme = part(CURLUPART_SCHEME)?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw FetchError(.unsupportedScheme, "\"\(shown)\" is not asked: only http and https addresses are")
        }
        guard part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil else {
            throw FetchError(
                .credentialsInAddress, "an address with a name or password in it is not asked; take what stands before the \"@\" out of it")
        }
        guard part(CURLUPART_ZONEID) == nil else { throw FetchError(.invalidAddress, "\"\(shown)\" names a network interface of this machine") }
        guard let host = part(CURLUPART_HOST, UInt32(CURLU_URLDECODE)), let portText = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)),
            let port = Int(portText), (1...65_535).contains(port)
        else { throw FetchError(.invalidAddress, "\"\(shown)\" is no address with a host and a port") }
        origin = WebOrigin(scheme: scheme, host: try HostName.normalized(host), port: port)
        let path = part(CURLUPART_PATH) ?? "/"
        target = (path.hasPrefix("/") ? path : "/" + path) + (part(CURLUPART_QUERY).map { "?" + $0 } ?? "")
    }

    init(origin: WebOrigin, target: String) {
        self.origin = origin
        self.target = target
    }

    public var description: String { origin.description + target }

    /// What the URL Standard does to an address before it takes it apart: outer spaces and all tabs and line ends go, backslashes are slashes up
    /// to the query, and what may not stand in a path or query is percent-encoded.
    private static func cleaned(_ text: String) throws(FetchError) -> String {
        guard text.utf8.count <= 8_192 else {
            throw FetchError(.invalidAddress, "an address of \(text.utf8.count) bytes is not asked; 8192 are the most")
        }
        let scalars = text.unicodeScalars.filter { $0 != "\t" && $0 != "\n" && $0 != "\r" }
        var bytes = Array(String(String.UnicodeScalarView(scalars)).utf8)[...]
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        var result: [UInt8] = []
        var slashes = 0
        var isInQuery = false
        var isInAuthority = false
        for byte in bytes {
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isInQuery = true }
            let byte = byte == UInt8(ascii: "\\") && isInQuery == false ? UInt8(ascii: "/") : byte
            if byte == UInt8(ascii: "/"), isInQuery == false {
                slashes += 1
                // Two slashes with nothing between them begin the authority; the next one ends it.
                isInAuthority = slashes == 2 && result.last == byte
            }
            if byte == 0 || byte == 0x7F || (byte < 0x20) {
                throw FetchError(.invalidAddress, "an address with control characters in it is not asked")
            }
            let isUnsafe = byte <= 0x20 || byte >= 0x80 || "\"<>`{}|^".utf8.contains(byte)
            if isUnsafe, isInAuthority == false || isInQuery {
                result += Array("%".utf8) + hexadecimal(byte)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
