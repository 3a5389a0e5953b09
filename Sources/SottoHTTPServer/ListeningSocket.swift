internal import Glibc
public import SottoServing
internal import Synchronization

/// The sockets on which a server will answer: on this machine's own addresses only, or beyond them and then by TLS.
///
/// Bound before the server is made, because what the server is called (`Host`, `Origin`) includes the port.
public final class ListeningSocket: Sendable {
    public let port: Int
    /// Where it answers, for people; the first of several addresses.
    public let address: String
    /// What it proves itself with; `nil` on loopback, where connections are plain.
    public let certificate: ServerCertificate?
    private let descriptors: Mutex<[Int32]>

    private init(port: Int, on host: String, certificate: ServerCertificate? = nil, descriptors: [Int32]) {
        self.port = port
        self.certificate = certificate
        self.descriptors = Mutex(descriptors)
        address = "\(certificate == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    deinit { for descriptor in take() { close(descriptor) } }

    /// Takes a port of `127.0.0.1`, and the same of `::1` where the machine has that.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - further: How many ports after it may be taken instead when it is not free.
    /// - Throws: ``ServingError`` `.portTaken`, which names who holds it as far as the system tells, and `.socketFailed`.
    public static func loopback(port: Int, further: Int = 0) throws(ServingError) -> ListeningSocket {
        try first(of: port, further) { candidate throws(ServingError) in
            let four = try listen("127.0.0.1", candidate)
            let bound = boundPort(four)
            do throws(ServingError) {
                // Whoever held the other half of `localhost` would be asked in our place, so a taken one counts as taken.
                guard let six = try listenSix(bound) else { return ListeningSocket(port: bound, on: "127.0.0.1", descriptors: [four]) }
                return ListeningSocket(port: bound, on: "127.0.0.1", descriptors: [four, six])
            } catch {
                close(four)
                throw error
            }
        }
    }

    /// Takes a port of addresses that other machines reach. There is no way to listen there without TLS.
    ///
    /// - Parameters:
    ///   - addresses: IP addresses of this machine, at least one; `0.0.0.0` and `::` for all of their kind.
    ///   - port: 0 for any that is free.
    ///   - further: How many ports after it may be taken instead when it is not free.
    ///   - certificate: Should name everything that the server's ``SecurityPolicy`` does.
    /// - Throws: ``ServingError`` `.portTaken` and `.socketFailed`.
    public static func secured(
        addresses: [String], port: Int, further: Int = 0, certificate: ServerCertificate
    ) throws(ServingError) -> ListeningSocket {
        guard let host = addresses.first else { throw ServingError(.socketFailed, "no address was given to listen on") }
        return try first(of: port, further) { candidate throws(ServingError) in
            var descriptors: [Int32] = []
            do throws(ServingError) {
                descriptors.append(try listen(host, candidate))
                let bound = boundPort(descriptors[0])
                for address in addresses.dropFirst() { descriptors.append(try listen(address, bound)) }
                return ListeningSocket(port: bound, on: host, certificate: certificate, descriptors: descriptors)
            } catch {
                for descriptor in descriptors { close(descriptor) }
                throw error
            }
        }
    }

    /// Tries ports until one is free.
    private static func first(
        of port: Int, _ further: Int, _ take: (Int) throws(ServingError) -> ListeningSocket
    ) throws(ServingError) -> ListeningSocket {
        guard (0...65_535).contains(port), further >= 0 else { throw ServingError(.socketFailed, "\(port) is no port; ports go from 1 to 65535") }
        var first: ServingError?
        for candidate in port...min(port + (port == 0 ? 8 : further), 65_535) {
            do { return try take(port == 0 ? 0 : candidate) } catch {
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

    private static func listenSix(_ port: Int) throws(ServingError) -> Int32? {
        do { return try listen("::1", port) } catch {
            if error.code == .portTaken { throw error }
            return nil
        }
    }

    private static func listen(_ address: String, _ port: Int) throws(ServingError) -> Int32 {
        var four = in_addr()
        var six = in6_addr()
        let family = unsafe inet_pton(AF_INET, address, &four) == 1 ? AF_INET : AF_INET6
        if family == AF_INET6, unsafe inet_pton(AF_INET6, address, &six) != 1 {
            throw ServingError(.socketFailed, "\(address.debugDescription) is no IP address to listen on")
        }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw failure(errno) }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A port whose last connections have not ended quite is free; one that is listened on is not, whatever this says.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if family == AF_INET6 { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size) }
        let result = family == AF_INET ? bindFour(descriptor, four, port) : bindSix(descriptor, six, port)
        guard result == 0, Glibc.listen(descriptor, 512) == 0 else {
            let number = errno
            close(descriptor)
            if number == EADDRNOTAVAIL { throw ServingError(.socketFailed, "this machine has no address \(address) to listen on") }
            guard number == EADDRINUSE else { throw failure(number) }
            let holder = PortHolder.find(port: port).map { " by \($0)" } ?? ""
            throw ServingError(.portTaken, "port \(port) is taken\(holder); end that program or choose another port")
        }
        return descriptor
    }

    private static func bindFour(_ descriptor: Int32, _ host: in_addr, _ port: Int) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr = host
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindSix(_ descriptor: Int32, _ host: in6_addr, _ port: Int) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        address.sin6_addr = host
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    private static func boundPort(_ descriptor: Int32) -> Int {
        // Both kinds of addresses have the port at the same place.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
        }
        return Int(in_port_t(bigEndian: address.sin6_port))
    }

    private static func failure(_ number: Int32) -> ServingError {
        let reason = unsafe String(cString: strerror(number))
        return ServingError(.socketFailed, "the system gave no socket to listen on: \(reason)")
    }
}
