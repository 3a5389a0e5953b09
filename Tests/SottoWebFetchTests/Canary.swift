import Glibc

/// Sockets that nobody may ever reach: whoever connects stays in the kernel's queue and is counted at the end.
final class Canary: Sendable {
    private let listeners: [Int32]
    let port: Int

    /// Listens on every address of this machine, version 4 and 6, at one port.
    init() throws {
        let (first, port) = try Listening.open("0.0.0.0", 0)
        self.port = port
        listeners = [first, try Listening.open("::", port).socket]
    }

    /// At one address and port.
    init(at address: String, port: Int) throws {
        let (listener, bound) = try Listening.open(address, port)
        listeners = [listener]
        self.port = bound
    }

    deinit { for listener in listeners { close(listener) } }

    /// How many connections came. Counts its own last one, so that a canary that cannot sing is noticed.
    func connections() -> Int {
        var count = 0
        for listener in listeners {
            _ = fcntl(listener, F_SETFL, O_NONBLOCK)
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                count += 1
                close(socket)
            }
        }
        return count
    }

    /// Connects once to an address of this machine.
    func touch(_ address: String = "127.0.0.1") -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(UInt16(port)).bigEndian
        _ = unsafe inet_pton(AF_INET, address, &name.sin_addr)
        return unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
