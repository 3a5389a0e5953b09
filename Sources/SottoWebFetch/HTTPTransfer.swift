import CCurl
import Foundation
import SottoCurl
import SottoFetching
import SottoStreams

/// Carries out one ``HTTPExchange`` with libcurl.
///
/// Used and freed inside one synchronous call; the C callbacks run within it, on the same thread.
@safe final class HTTPTransfer {
    private let exchange: HTTPExchange
    private let flag: CancellationFlag
    private let easy: UnsafeMutableRawPointer
    private var lists = unsafe [UnsafeMutablePointer<curl_slist>]()
    private var headers: [String: String] = [:]
    private var reader: BodyReader?
    private var verdict = BodyReader.Verdict.goOn
    private var isRedirect = false
    private var forbidden: String?
    private var lastSign: ContinuousClock.Instant
    private var hasAnswered = false
    private var headerBytes = 0
    /// Real ones have a few KB; libcurl itself stops at 300 KB.
    private static let maximumHeaderBytes = 128 * 1_024

    private init?(_ exchange: HTTPExchange, flag: CancellationFlag) {
        CurlLibrary.start()
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        self.exchange = exchange
        self.flag = flag
        lastSign = ContinuousClock.now
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        for unsafe list in unsafe lists { unsafe curl_slist_free_all(list) }
    }

    /// Blocks until the answer is there, its bound is met, a deadline has passed or `flag` is raised; the connection is closed then.
    static func run(_ exchange: HTTPExchange, flag: CancellationFlag) -> HTTPExchange.Result {
        guard let transfer = HTTPTransfer(exchange, flag: flag) else {
            return HTTPExchange.Result(failure: FetchError(.connectFailed, "libcurl could not be started"))
        }
        return transfer.perform()
    }

    private var host: String { exchange.hop.address.origin.description }

    private func perform() -> HTTPExchange.Result {
        configure()
        let ending = exchangeBytes()
        var result = HTTPExchange.Result()
        result.status = unsafe sotto_curl_response_code(easy)
        result.headers = headers
        result.receivedBytes = Int64(unsafe sotto_curl_received(easy))
        if let address = unsafe sotto_curl_primary_address(easy) { result.address = unsafe String(cString: address) }
        if flag.isCancelled {
            result.isCancelled = true
            return result
        }
        reader?.finish()
        result.body = reader?.bytes ?? []
        result.kind = reader?.kind ?? .text
        result.failure = failure(ending)
        if result.failure == nil, verdict == .cut { result.isTruncated = isRedirect == false }
        if result.failure == nil, exchange.readsPage, reader?.kind == .other, (200..<300).contains(result.status) {
            result.failure = error(.unsupportedKind)
        }
        if result.failure != nil { result.body = [] }
        return result
    }

    // MARK: Options

    private func configure() {
        let origin = exchange.hop.address.origin
        set(CURLOPT_URL, exchange.hop.address.description)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_USERAGENT, exchange.userAgent)
        // All that this libcurl decodes, and nothing else.
        set(CURLOPT_ACCEPT_ENCODING, "")
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, exchange.limits.connect.wholeMilliseconds))
        set(CURLOPT_BUFFERSIZE, BodyReader.bufferSize)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities = exchange.authorities { set(CURLOPT_CAINFO, authorities) }
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        set(CURLOPT_PATH_AS_IS, 0)
        // An empty proxy is none, and keeps libcurl from reading the environment.
        let dialed = exchange.proxy?.origin ?? origin
        set(CURLOPT_PROXY, exchange.proxy.map { $0.origin.description } ?? "")
        set(CURLOPT_NOPROXY, "")
        // A name stands for the addresses that were checked, and is not looked up again. Numeric hosts need no entry.
        if IPAddress(dialed.host) == nil {
            let addresses = exchange.addresses.map { $0.isVersion4 ? $0.description : "[\($0)]" }.joined(separator: ",")
            setList(CURLOPT_RESOLVE, ["\(dialed.host):\(dialed.port):\(addresses)"])
        }
        // libcurl sends "Expect" with larger bodies and then waits a second for servers that do not know it.
        setList(CURLOPT_HTTPHEADER, (exchange.headers + exchange.hop.headers).map { Self.line("\($0.name): \($0.value)") } + ["Expect:"])
        if exchange.hop.method == .post {
            set(CURLOPT_POST, 1)
            _ = unsafe sotto_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(exchange.hop.body.count))
            var body = exchange.hop.body
            _ = unsafe body.withUnsafeMutableBytes { unsafe sotto_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
        }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sotto_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, takeBody)
        unsafe sotto_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        unsafe sotto_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, takeHeader)
        unsafe sotto_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        unsafe sotto_curl_set_open_socket(easy, openSocket)
        unsafe sotto_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
    }

    private func set(_ option: CURLoption, _ value: Int) { _ = unsafe sotto_curl_set_long(easy, option, value) }
    private func set(_ option: CURLoption, _ value: String) { _ = unsafe sotto_curl_set_string(easy, option, value) }

    /// A line end within a header would begin another one.
    private static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    private func setList(_ option: CURLoption, _ lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { unsafe list = curl_slist_append(list, line) ?? list }
        guard let list = unsafe list else { return }
        unsafe lists.append(list)
        unsafe sotto_curl_set_list(easy, option, list)
    }

    // MARK: The exchange

    private enum Ending { case done(CURLcode), stalled, deadline, broken }

    /// Runs on a multi handle, because that one can be woken from another thread to stop at once.
    private func exchangeBytes() -> Ending {
        guard let multi = MultiHandle() else { return .broken }
        flag.onCancel { multi.wake() }
        unsafe multi.add(easy)
        defer { unsafe multi.remove(easy) }
        while flag.isCancelled == false {
            guard multi.step() else { return .broken }
            if let result = multi.result { return .done(result) }
            let now = ContinuousClock.now
            // Connecting has a bound of its own, which libcurl keeps.
            let silence = exchange.limits.idle + (hasAnswered ? .zero : exchange.limits.connect)
            let untilStalled = now.duration(to: lastSign + silence)
            let untilDeadline = now.duration(to: exchange.deadline)
            if untilDeadline <= .zero { return .deadline }
            if untilStalled <= .zero { return .stalled }
            multi.wait(milliseconds: Int32(min(1_000, max(1, min(untilStalled, untilDeadline).wholeMilliseconds))))
        }
        return .broken
    }

    private func failure(_ ending: Ending) -> FetchError? {
        switch verdict {
        case .goOn: break
        case .cut: return nil
        case .fail(let code): return error(code)
        }
        switch ending {
        case .stalled: return error(.stalled)
        case .deadline: return error(.deadlineExceeded)
        case .broken: return error(.connectionBroken)
        case .done(let code): return failure(code)
        }
    }

    private func failure(_ code: CURLcode) -> FetchError? {
        let detail = unsafe String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_OK: return unsafe sotto_curl_response_code(easy) >= 200 ? nil : error(.malformedResponse)
        case CURLE_COULDNT_CONNECT:
            if let forbidden {
                return FetchError(.forbiddenAddress, "\(host) is not asked: its connection would have gone to \(forbidden), which was not checked")
            }
            return error(.connectFailed, detail)
        case CURLE_OPERATION_TIMEDOUT: return error(.connectTimedOut)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR:
            return error(.tlsFailed, detail)
        case CURLE_BAD_CONTENT_ENCODING: return error(.badEncoding, detail)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_OUT_OF_MEMORY:
            return error(.malformedResponse, detail)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return error(.nameNotFound, detail)
        default: return error(.connectionBroken, detail)
        }
    }

    private func error(_ code: FetchError.Code, _ detail: String = "") -> FetchError {
        let limits = exchange.limits
        let why = detail.isEmpty ? "" : " (\(detail))"
        let message =
            switch code {
            case .connectFailed: "\(host) cannot be reached\(why); check the address and the network connection"
            case .connectTimedOut: "\(host) did not accept a connection within \(limits.connect.seconds) s; try again later"
            case .stalled: "\(host) fell silent for \(limits.idle.seconds) s; try again later"
            case .deadlineExceeded: "\(host) needs longer than the \(limits.total.seconds) s that a page may take"
            case .tlsFailed: "\(host) could not prove that it is who it says\(why); nothing was read"
            case .badEncoding: "\(host) sent a body that cannot be unpacked\(why)"
            case .decompressionBomb: "\(host) sent few bytes that unfold into more than \(limits.expansion) times as many; they were not read"
            case .tooLarge: "\(host) has a PDF file of more than \(limits.portableBytes / 1_000_000) MB, which is not read"
            case .unsupportedKind: "\(exchange.hop.address) is neither text nor PDF"
            case .malformedResponse: "\(host) does not answer as a web server does\(why)"
            case .nameNotFound: "the name of \(host) is not known\(why)"
            default: "the connection to \(host) broke\(why); try again"
            }
        return FetchError(code, message)
    }

    // MARK: Callbacks

    /// - Returns: Whether to go on.
    fileprivate func header(_ line: String) -> Bool {
        lastSign = ContinuousClock.now
        hasAnswered = true
        if line.hasPrefix("HTTP/") {
            headers = [:]
            return true
        }
        headerBytes += line.utf8.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            verdict = .fail(.malformedResponse)
            return false
        }
        guard let colon = line.firstIndex(of: ":") else { return true }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        return true
    }

    /// - Returns: Whether to go on.
    fileprivate func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if flag.isCancelled { return false }
        lastSign = ContinuousClock.now
        if lastSign >= exchange.deadline {
            verdict = .fail(.deadlineExceeded)
            return false
        }
        let status = unsafe sotto_curl_response_code(easy)
        if reader == nil {
            // Nobody reads what a redirect says.
            if (300..<400).contains(status), headers["location"] != nil {
                isRedirect = true
                verdict = .cut
                return false
            }
            // Of a packed body the length says nothing yet.
            let announced = headers["content-encoding"] == nil ? headers["content-length"].flatMap { Int($0) } : nil
            reader = BodyReader(
                limits: exchange.limits, readsPage: exchange.readsPage && (200..<300).contains(status), type: headers["content-type"] ?? "",
                announced: announced)
        }
        verdict = unsafe reader?.take(bytes, received: Int(sotto_curl_received(easy))) ?? .cut
        return verdict == .goOn
    }

    /// Makes the socket, if it goes where it may.
    fileprivate func open(_ request: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let target = unsafe IPAddress.from(sotto_curl_address(request)), exchange.addresses.contains(target.address) else {
            forbidden = unsafe IPAddress.from(sotto_curl_address(request))?.address.description ?? "an address of another kind"
            return CURL_SOCKET_BAD
        }
        exchange.opening(target.address, target.port)
        return unsafe socket(request.pointee.family, request.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), request.pointee.protocol)
    }
}

nonisolated let takeBody: sotto_curl_data_callback = { data, size, count, context in
    guard let data = unsafe data, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    // Any other number than what came ends the transfer.
    return unsafe transfer.body(UnsafeRawBufferPointer(start: data, count: size * count)) ? size * count : 0
}

nonisolated let takeHeader: sotto_curl_data_callback = { data, size, count, context in
    guard let data = unsafe data, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.header(unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: size * count), as: UTF8.self)) ? size * count : 0
}

nonisolated let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
    return unsafe Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().open(address)
}

extension Duration {
    /// For messages.
    var seconds: String { (self / .seconds(1)).formatted(.number.precision(.fractionLength(0...2)).locale(Locale(identifier: "en_US_POSIX"))) }
}
