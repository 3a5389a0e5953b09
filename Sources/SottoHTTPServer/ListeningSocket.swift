internal import Glibc
public import SottoServing
internal import Synchronization

/// The sockets on which a server will answer, on this machine's own addresses only.
///
/// Bound before the server is made, because what the server is called (`Host`, `Origin`) includes the port.
public final class ListeningSocket: Sendable {
    public let port: Int
    private let descriptors: Mutex<[Int32]>

    private init(port: Int, descriptors: [Int32]) {
        self.port = port
        self.descriptors = Mutex(descriptors)
    }

    deinit { for descriptor in take() { close(descriptor) } }

    /// Takes a port of `127.0.0.1`, and the same of `::1` where the machine has that.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - further: How many ports after it may be taken instead when it is not free.
    /// - Throws: ``ServingError`` `.portTaken`, which names who holds it as far as the system tells, and `.socketFailed`.
    public static func loopback(port: Int, further: Int = 0) throws(ServingError) -> ListeningSocket {
        guard (0...65_535).contains(port) else { throw ServingError(.socketFailed, "\(port) is no port; ports go from 1 to 65535") }
        var first: ServingError?
        for candidate in port...min(port + (port == 0 ? 8 : further), 65_535) {
            do { return try bind(port == 0 ? 0 : candidate) } catch {
                guard error.code == .portTaken else { throw error }
                first = first ?? error
            }
        }
        throw first ?? ServingError(.socketFailed, "no port was tried")
    }

    /// The sockets, once; the caller closes them.
    func take() -> [Int32] {
        descriptors.withLock { list in
            defer { list = [] }
            return list
        }
    }

    private static func bind(_ port: Int) throws(ServingError) -> ListeningSocket {
        let four = try listen(AF_INET, port)
        let bound = boundPort(four)
        do {
            // Whoever held the other half of `localhost` would be asked in our place, so a taken one counts as taken.
            guard let six = try listenSix(bound) else { return ListeningSocket(port: bound, descriptors: [four]) }
            return ListeningSocket(port: bound, descriptors: [four, six])
        } catch {
            close(four)
            throw error
        }
    }

    private static func listenSix(_ port: Int) throws(ServingError) -> Int32? {
        do { return try listen(AF_INET6, port) } catch {
            if error.code == .portTaken { throw error }
            return nil
        }
    }

    private static func listen(_ family: Int32, _ port: Int) throws(ServingError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw failure(errno) }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A port whose last connections have not ended quite is free; one that is listened on is not, whatever this says.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if family == AF_INET6 { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size) }
        let result = family == AF_INET ? bindFour(descriptor, port) : bindSix(descriptor, port)
        guard result == 0, Glibc.listen(descriptor, 512) == 0 else {
            let number = errno
            close(descriptor)
            guard number == EADDRINUSE else { throw failure(number) }
            throw ServingError(.portTaken, "port \(port) is taken\(PortHolder.find(port: port).map { " by \($0)" } ?? ""); end that program or choose another port")
        }
        return descriptor
    }

    private static func bindFour(_ descriptor: Int32, _ port: Int) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindSix(_ descriptor: Int32, _ port: Int) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        guard unsafe inet_pton(AF_INET6, "::1", &address.sin6_addr) == 1 else { return -1 }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    private static func boundPort(_ descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
        }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func failure(_ number: Int32) -> ServingError {
        let reason = unsafe String(cString: strerror(number))
        return ServingError(.socketFailed, "the system gave no socket to listen on: \(reason)")
    }
}
