internal import CWebsockets
internal import Glibc
internal import SottoServing

/// Owns the library's context and frees it exactly once, with all sockets in it.
@safe struct LoopContext: ~Copyable {
    /// Valid while this value lives.
    let pointer: OpaquePointer
    let vhost: OpaquePointer
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private let name: UnsafeMutablePointer<CChar>
    private let table: SocketTable

    /// - Parameter table: Is told of everything that happens, on the thread that calls ``turn()``.
    init(table: SocketTable, limits: ServerLimits, isSecured: Bool) throws(ServingError) {
        guard let name = unsafe strdup(SocketTable.protocolName) else { throw ServingError(.socketFailed, "there is no memory for the server") }
        // Two: the second, of zeros, ends the list. The library keeps the address.
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
        unsafe protocols[0].name = unsafe UnsafePointer(name)
        unsafe protocols[0].callback = unsafe forwardEvent
        var info = unsafe lws_context_creation_info()
        unsafe info.port = -2  // CONTEXT_PORT_NO_LISTEN_SERVER, a macro with a cast: we listen ourselves.
        unsafe info.protocols = unsafe UnsafePointer(protocols)
        unsafe info.user = unsafe Unmanaged.passUnretained(table).toOpaque()
        unsafe info.gid = -1
        unsafe info.uid = -1
        // What is read at once. Lingering connections are counted twice.
        unsafe info.pt_serv_buf_size = 16 << 10
        unsafe info.fd_limit_per_thread = UInt32(2 * limits.connections + 32)
        // HTTP/2 is not offered: `alpn` would offer it otherwise.
        let alpn = unsafe strdup("http/1.1")
        defer { unsafe free(alpn) }
        if isSecured {
            unsafe info.options = sotto_lws_secured
            unsafe info.alpn = unsafe UnsafePointer(alpn)
            // For a handshake, and from its end to the first bytes. In seconds.
            unsafe info.timeout_secs = 20
        }
        guard let pointer = unsafe lws_create_context(&info) else {
            unsafe free(name)
            unsafe protocols.deallocate()
            if isSecured { throw ServingError(.badCertificate, "TLS could not be set up with the server's certificate; make a new one") }
            throw ServingError(.socketFailed, "the event loop could not be made; the system may be out of file descriptors")
        }
        guard let vhost = unsafe lws_get_vhost_by_name(pointer, "default") else {
            unsafe lws_context_destroy(pointer)
            unsafe free(name)
            unsafe protocols.deallocate()
            throw ServingError(.socketFailed, "the event loop has no virtual host")
        }
        unsafe self.pointer = pointer
        unsafe self.vhost = vhost
        unsafe self.protocols = protocols
        unsafe self.name = name
        self.table = table
    }

    deinit {
        unsafe lws_context_destroy(pointer)
        unsafe free(name)
        unsafe protocols.deallocate()
    }

    /// Closes what is left, and frees everything.
    consuming func end() {}

    /// Waits for events and handles them.
    ///
    /// - Returns: `false` when the loop can do no more.
    borrowing func turn() -> Bool { unsafe lws_service(pointer, 0) >= 0 }
}

/// Called by the library, on the loop's thread. A value other than 0 ends the socket.
nonisolated let forwardEvent: @convention(c) (
    OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
) -> Int32 = { socket, reason, argument, bytes, count in
    guard let socket = unsafe socket, let context = unsafe lws_get_context(socket), let user = unsafe lws_context_user(context) else { return 0 }
    let table = unsafe Unmanaged<SocketTable>.fromOpaque(user).takeUnretainedValue()
    switch reason {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: table.runCommands()
    case LWS_CALLBACK_RAW_RX_FILE: unsafe table.acceptAll(socket)
    case LWS_CALLBACK_RAW_CLOSE_FILE: unsafe table.listenerClosed(socket)
    case LWS_CALLBACK_RAW_RX:
        guard let bytes = unsafe bytes, count > 0 else { return 0 }
        // The library owns the memory for this call only.
        unsafe table.received(socket, Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    case LWS_CALLBACK_RAW_WRITEABLE: return unsafe table.writable(socket) ? 0 : -1
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS: return unsafe table.secure(argument) ? 0 : 1
    case LWS_CALLBACK_TIMER: unsafe table.lingered(socket)
    // The second for a socket that ends before its TLS handshake is over.
    case LWS_CALLBACK_RAW_CLOSE, LWS_CALLBACK_WSI_DESTROY: unsafe table.closed(socket)
    default: break
    }
    return 0
}
