import CCurl
import Foundation
import SottoCurl
import SottoStreams

/// One HTTP request whose body goes into a partial file, continued from where that ends.
///
/// Used and freed inside one synchronous call; the C callbacks run within it, on the same thread.
@safe final class Transfer {
    private let partial: PartialFile
    private let report: (Int64) -> Void
    private let flag: CancellationFlag
    private let offset: Int64
    private let easy: UnsafeMutableRawPointer
    private var headers: [String: String] = [:]
    private var isBodyStarted = false
    private var failure: (any Error)?
    /// The server answered a request for the rest with something that is not the rest.
    private var isRestRefused = false

    private init(into partial: PartialFile, flag: CancellationFlag, report: @escaping (Int64) -> Void) throws(ModelStoreError) {
        self.partial = partial
        self.flag = flag
        self.report = report
        offset = partial.size
        guard let easy = unsafe curl_easy_init() else { throw ModelStoreError(.sourceFailed, "libcurl could not be started") }
        unsafe self.easy = easy
    }

    deinit { unsafe curl_easy_cleanup(easy) }

    /// Blocks until the connection ends.
    ///
    /// - Throws: `CancellationError` at once when `flag` is raised (the connection is closed); ``ModelStoreError`` when the
    ///   bytes are too many or cannot be stored.
    static func run(
        _ url: String, into partial: PartialFile, limits: DownloadLimits, flag: CancellationFlag, report: @escaping (Int64) -> Void
    ) throws -> DownloadOutcome {
        CurlLibrary.start()
        if partial.size == partial.limit { return .complete }
        let transfer = try Transfer(into: partial, flag: flag, report: report)
        return try transfer.perform(url, limits)
    }

    private func perform(_ url: String, _ limits: DownloadLimits) throws -> DownloadOutcome {
        let schemes = url.lowercased().hasPrefix("https:") ? "https" : "http,https"
        set(CURLOPT_URL, url)
        set(CURLOPT_PROTOCOLS_STR, schemes)
        // Never from https down to http.
        set(CURLOPT_REDIR_PROTOCOLS_STR, schemes)
        set(CURLOPT_USERAGENT, limits.userAgent)
        set(CURLOPT_FOLLOWLOCATION, 1)
        set(CURLOPT_MAXREDIRS, limits.maximumRedirects)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FAILONERROR, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout.wholeMilliseconds)
        set(CURLOPT_TIMEOUT_MS, limits.deadline.wholeMilliseconds)
        set(CURLOPT_LOW_SPEED_LIMIT, limits.slowestRate)
        set(CURLOPT_LOW_SPEED_TIME, max(1, limits.stallTimeout.wholeMilliseconds / 1_000))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sotto_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe sotto_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        unsafe sotto_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, receiveHeader)
        unsafe sotto_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)

        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl_slist_free_all(list) }
        if offset > 0 {
            unsafe list = curl_slist_append(list, "Range: bytes=\(offset)-")
            if let validator = partial.journal.validator, validator.isEmpty == false {
                unsafe list = curl_slist_append(list, "If-Range: \(validator)")
            }
            unsafe sotto_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        }
        let result = try exchange()
        if flag.isCancelled { throw CancellationError() }
        let status = unsafe sotto_curl_response_code(easy)
        if isRestRefused || (offset > 0 && status == 416) {
            try partial.begin(validator: nil, keepingBytes: false)
            return .interrupted(reason: "the server could not continue the file; starting it over")
        }
        if let failure { throw failure }
        return outcome(result)
    }

    /// Runs the transfer on a multi handle, because that one can be woken from another thread to stop at once.
    private func exchange() throws(ModelStoreError) -> CURLcode {
        guard let multi = MultiHandle() else { throw ModelStoreError(.sourceFailed, "libcurl could not be started") }
        flag.onCancel { multi.wake() }
        unsafe multi.add(easy)
        defer { unsafe multi.remove(easy) }
        while flag.isCancelled == false {
            guard multi.step() else { break }
            if let result = multi.result { return result }
            multi.wait(milliseconds: 1_000)
        }
        return multi.result ?? CURLE_ABORTED_BY_CALLBACK
    }

    private func outcome(_ result: CURLcode) -> DownloadOutcome {
        let status = unsafe sotto_curl_response_code(easy)
        let reason = unsafe String(cString: curl_easy_strerror(result))
        switch result {
        case CURLE_OK where partial.size == partial.limit: return .complete
        case CURLE_OK where status == 200 || status == 206:
            return .interrupted(reason: "the server sent \(partial.size) of \(partial.limit) bytes")
        case CURLE_OK, CURLE_HTTP_RETURNED_ERROR:
            // A busy server is asked again; one that says no is believed.
            let isPassing = [408, 425, 429, 500, 502, 503, 504].contains(status)
            return isPassing ? .interrupted(reason: "the server answered \(status)") : .refused(reason: "the server answered \(status)")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_TOO_MANY_REDIRECTS, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            return .refused(reason: reason)
        default: return .interrupted(reason: reason)
        }
    }

    fileprivate func header(_ line: String) {
        if line.hasPrefix("HTTP/") {
            headers = [:]
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// - Returns: Whether to go on.
    fileprivate func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if flag.isCancelled { return false }
        do {
            if isBodyStarted == false {
                isBodyStarted = true
                guard try startBody() else { return false }
            }
            try unsafe partial.append(bytes)
            report(partial.size)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func startBody() throws -> Bool {
        let status = unsafe sotto_curl_response_code(easy)
        // A weak tag may not be used with If-Range (RFC 9110 §13.1.5); an empty validator means that there is none.
        let tag = headers["etag"].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        let validator = tag ?? headers["last-modified"] ?? ""
        guard status == 206 else {
            try partial.begin(validator: validator, keepingBytes: false)
            report(0)
            return true
        }
        guard offset > 0, let range = headers["content-range"], let parsed = Self.parse(range), parsed.start == offset,
            parsed.total == nil || parsed.total == partial.limit
        else {
            isRestRefused = true
            return false
        }
        return true
    }

    /// Reads `bytes 5-9/10`.
    static func parse(_ contentRange: String) -> (start: Int64, total: Int64?)? {
        guard let match = contentRange.wholeMatch(of: /bytes\s+(\d+)-(\d+)\/(\d+|\*)/), let start = Int64(match.1) else { return nil }
        return (start, Int64(match.3))
    }

    private func set(_ option: CURLoption, _ value: Int) { _ = unsafe sotto_curl_set_long(easy, option, value) }
    private func set(_ option: CURLoption, _ value: String) { _ = unsafe sotto_curl_set_string(easy, option, value) }
}

nonisolated let receiveBody: sotto_curl_data_callback = { data, size, count, context in
    guard let data = unsafe data, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let isWanted = unsafe transfer.body(UnsafeRawBufferPointer(start: data, count: size * count))
    // Any other number than what came ends the transfer.
    return isWanted ? size * count : 0
}

nonisolated let receiveHeader: sotto_curl_data_callback = { data, size, count, context in
    guard let data = unsafe data, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    transfer.header(unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: size * count), as: UTF8.self))
    return size * count
}
