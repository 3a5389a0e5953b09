internal import CWebsockets
internal import Glibc
internal import SottoServing
internal import SottoStreams

/// The loop's sockets and what is done with each. Lives on the loop's thread only, which is the one that calls every method here.
@safe final class SocketTable {
    @safe private struct Entry {
        var socket: OpaquePointer
        var connection: Connection
        /// Its output has ended: what still comes is thrown away.
        var isEnding = false
        /// The TLS handshake is still the library's, with its time limit.
        var isHandshaking = false
    }

    /// How much one turn of the loop sends for one connection.
    private static let pieceBytes = 32 << 10
    static let protocolName = "sotto"

    private let limits: ServerLimits
    /// Every connection is TLS when there is one.
    private let certificate: ServerCertificate?
    private let mailbox: LoopMailbox
    private let counters: ServerCounters
    private let clock: any Clock<Duration>
    private let begin: (Connection) -> Void
    private var entries: [UInt64: Entry] = [:]
    /// By the socket's address.
    private var ids: [UInt: UInt64] = [:]
    private var perAddress: [String: Int] = [:]
    private var listeners: [UInt: Int32] = [:]
    private var nextID: UInt64 = 1
    private var isStopping = false
    /// Given up to accept and turn away a client when there are no descriptors left; otherwise the loop would spin on it.
    private var reserve: Int32
    private var vhost: OpaquePointer?
    private var buffer: [UInt8]

    init(
        limits: ServerLimits, certificate: ServerCertificate?, mailbox: LoopMailbox, counters: ServerCounters, clock: any Clock<Duration>,
        begin: @escaping (Connection) -> Void
    ) {
        self.limits = limits
        self.certificate = certificate
        self.mailbox = mailbox
        self.counters = counters
        self.clock = clock
        self.begin = begin
        reserve = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        buffer = [UInt8](repeating: 0, count: Int(sotto_lws_room_before) + Self.pieceBytes)
    }

    deinit { if reserve >= 0 { close(reserve) } }

    /// Whether nothing is left to do.
    var isDone: Bool { isStopping && entries.isEmpty && listeners.isEmpty }

    func listen(_ descriptors: [Int32], on vhost: OpaquePointer) throws(ServingError) {
        unsafe self.vhost = vhost
        for (index, descriptor) in descriptors.enumerated() {
            guard let socket = unsafe sotto_lws_adopt_file(vhost, descriptor, Self.protocolName) else {
                for rest in descriptors[(index + 1)...] { close(rest) }
                throw ServingError(.socketFailed, "the event loop did not take the listening socket")
            }
            listeners[UInt(bitPattern: socket)] = descriptor
        }
    }

    // MARK: What the library tells

    func acceptAll(_ socket: OpaquePointer) {
        guard let listener = listeners[UInt(bitPattern: socket)] else { return }
        // A bounded number, so that the others get their turn.
        for _ in 0..<64 {
            let descriptor = accept4(listener)
            if descriptor >= 0 {
                admit(descriptor)
            } else if errno == EMFILE || errno == ENFILE {
                guard reserve >= 0 else { return }
                close(reserve)
                let turnedAway = accept4(listener)
                if turnedAway >= 0 { close(turnedAway) }
                reserve = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
                counters.refuse()
                return
            } else if errno != EINTR, errno != ECONNABORTED {
                return
            }
        }
    }

    /// Fills the TLS context of the virtual host.
    func secure(_ context: UnsafeMutableRawPointer?) -> Bool {
        guard let certificate else { return true }
        return unsafe sotto_tls_use(
            context, certificate.certificate, Int32(certificate.certificate.utf8.count), certificate.privateKey,
            Int32(certificate.privateKey.utf8.count)) == 1
    }

    func received(_ socket: OpaquePointer, _ bytes: [UInt8]) {
        guard let id = ids[UInt(bitPattern: socket)], let entry = entries[id], entry.isEnding == false else { return }
        if entry.isHandshaking {
            entries[id]?.isHandshaking = false
            // The library would end the connection after some seconds from its handshake on, whatever comes.
            unsafe sotto_lws_no_timeout(socket)
        }
        if entry.connection.receive(bytes) == false { unsafe lws_rx_flow_control(socket, 0) }
    }

    /// - Returns: Whether the socket still takes anything.
    func writable(_ socket: OpaquePointer) -> Bool {
        guard let id = ids[UInt(bitPattern: socket)], let entry = entries[id], entry.isEnding == false else { return true }
        switch entry.connection.takeOutput(atMost: Self.pieceBytes) {
        case .idle: return true
        case .end:
            // Closing now could drop the answer on its way, if there is something that we have not read. So only our direction ends; what still comes
            // is read and thrown away until the client ends too, or the time is over.
            entries[id]?.isEnding = true
            if certificate != nil { unsafe sotto_tls_end_output(socket) }
            unsafe shutdown(lws_get_socket_fd(socket), Int32(SHUT_WR))
            unsafe lws_rx_flow_control(socket, 1)
            // Debian's library declares `lws_set_timeout_us` and does not export it; a timer that closes is as exact.
            unsafe lws_set_timer_usecs(socket, Self.microseconds(limits.lingerTime))
            return true
        case .bytes(let bytes):
            let room = Int(sotto_lws_room_before)
            buffer.replaceSubrange(room..<(room + bytes.count), with: bytes)
            let sent = unsafe buffer.withUnsafeMutableBufferPointer { pointer -> Int32 in
                guard let base = pointer.baseAddress else { return -1 }
                // What the kernel does not take the library keeps, and it tells us again only when that is gone.
                return unsafe sotto_lws_write(socket, base + room, bytes.count)
            }
            guard sent >= 0 else { return false }
            unsafe lws_callback_on_writable(socket)
            return true
        }
    }

    func closed(_ socket: OpaquePointer) {
        guard let id = ids.removeValue(forKey: UInt(bitPattern: socket)), let entry = entries.removeValue(forKey: id) else { return }
        let address = entry.connection.address
        let left = (perAddress[address] ?? 1) - 1
        perAddress[address] = left > 0 ? left : nil
        counters.close()
        entry.connection.lost()
        wakeIfDone()
    }

    /// The time to wait for the client's end is over.
    func lingered(_ socket: OpaquePointer) { unsafe sotto_lws_close_soon(socket) }

    func listenerClosed(_ socket: OpaquePointer) {
        listeners[UInt(bitPattern: socket)] = nil
        wakeIfDone()
    }

    /// The library closes in a turn's beginning and waits for events then, of which there may be no more.
    private func wakeIfDone() { if isDone { mailbox.wake() } }

    func runCommands() {
        for command in mailbox.take() {
            switch command {
            case .output(let id): output(id)
            case .room(let id): if let entry = entries[id] { unsafe lws_rx_flow_control(entry.socket, 1) }
            case .abort(let id): kill(id)
            case .stop:
                isStopping = true
                for address in listeners.keys { if let socket = unsafe OpaquePointer(bitPattern: address) { unsafe sotto_lws_close_soon(socket) } }
                for id in Array(entries.keys) where entries[id]?.isHandshaking == true { kill(id) }
                for entry in entries.values { entry.connection.stopping.cancel() }
            case .abortAll: for id in Array(entries.keys) { kill(id) }
            }
        }
    }

    private func output(_ id: UInt64) {
        guard let entry = entries[id] else { return }
        // Nothing has come yet, so nothing is to be said: this is the end of waiting. In its handshake the library would forget the wish to write.
        if entry.isHandshaking { return kill(id) }
        unsafe lws_callback_on_writable(entry.socket)
    }

    // MARK: Admission

    private func admit(_ descriptor: Int32) {
        let address = Self.address(of: descriptor)
        let open = entries.count
        // Lingering ones are as many again at most.
        if isStopping || open >= 2 * limits.connections { return refuse(descriptor) }
        let decision = ConnectionAdmission.decide(
            open: entries.values.count { $0.isEnding == false }, ofAddress: perAddress[address] ?? 0, limits: limits)
        switch decision {
        case .accept: break
        case .refuse: return refuse(descriptor)
        case .replace:
            // Ids rise, so the lowest has waited longest.
            guard let oldest = entries.filter({ $0.value.isEnding == false && $0.value.connection.currentPhase == .waiting }).keys.min() else {
                return refuse(descriptor)
            }
            counters.replace()
            kill(oldest)
        }
        guard let vhost = unsafe vhost, let socket = unsafe sotto_lws_adopt_socket(vhost, descriptor, Self.protocolName, certificate == nil ? 0 : 1)
        else {
            // The library has closed it.
            counters.refuse()
            return
        }
        if certificate == nil { unsafe sotto_lws_no_timeout(socket) }
        let id = nextID
        nextID += 1
        let connection = Connection(id: id, address: address, limits: limits, clock: clock) { [mailbox] signal in
            switch signal {
            case .output: mailbox.post(.output(id))
            case .room: mailbox.post(.room(id))
            case .abort: mailbox.post(.abort(id))
            }
        }
        unsafe entries[id] = Entry(socket: socket, connection: connection, isHandshaking: certificate != nil)
        ids[UInt(bitPattern: socket)] = id
        perAddress[address, default: 0] += 1
        counters.open()
        begin(connection)
    }

    /// Says why, as far as the socket takes it at once, and closes.
    private func refuse(_ descriptor: Int32) {
        counters.refuse()
        let text = Array("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n".utf8)
        if certificate == nil { _ = unsafe send(descriptor, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
        close(descriptor)
    }

    /// Closes in this turn of the loop; nothing that still happens for the connection counts.
    private func kill(_ id: UInt64) {
        guard let entry = entries[id] else { return }
        entries[id]?.isEnding = true
        unsafe sotto_lws_close_soon(entry.socket)
        entry.connection.lost()
    }

    private static func microseconds(_ time: Duration) -> Int64 { max(1, Int64(time / .microseconds(1))) }

    private func accept4(_ listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // Events are small and are to arrive at once.
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func address(of descriptor: Int32) -> String {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: 64)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getpeername(descriptor, address, &size) == 0 else { return Int32(-1) }
                return unsafe getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        return result == 0 ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : "unknown"
    }
}
