import Foundation
import Glibc
import Synchronization

/// A small web server on this machine, with the faults of the real web.
final class TestWeb: Sendable {
    /// What a client asked.
    struct Request: Sendable {
        var method: String
        var target: String
        /// Names in lower case.
        var headers: [String: String]
        var body: [UInt8]
        var host: String { headers["host"] ?? "" }
    }

    /// The server's end of one connection; blocking, on a thread of its own.
    struct Connection: Sendable {
        let socket: Int32

        /// - Returns: Whether the client still takes it.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while rest.isEmpty == false {
                let sent = unsafe rest.withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Waits until the client closes, or for a time.
        ///
        /// - Returns: Whether it closed.
        @discardableResult
        func waitForClose(milliseconds: Int32 = -1) -> Bool {
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&descriptor, 1, milliseconds) > 0 else { return false }
            var byte: UInt8 = 0
            return unsafe recv(socket, &byte, 1, 0) <= 0
        }

        func answer(_ status: Int = 200, _ headers: [String: String] = [:], _ body: [UInt8] = []) {
            var text = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\nConnection: close\r\n"
            for (name, value) in headers { text += "\(name): \(value)\r\n" }
            send(Array((text + "\r\n").utf8) + body)
        }

        func answer(html: String) { answer(200, ["Content-Type": "text/html; charset=utf-8"], Array(html.utf8)) }
    }

    typealias Handler = @Sendable (Request, Connection) -> Void

    let port: Int
    private let listener: Int32
    private let handler: Handler
    private let log = Mutex<[Request]>([])

    /// - Parameters:
    ///   - address: Of this machine; a `:` in it makes it version 6.
    ///   - port: 0: any that is free.
    init(at address: String = "127.0.0.1", port: Int = 0, _ handler: @escaping Handler) throws {
        self.handler = handler
        (listener, self.port) = try Listening.open(address, port)
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                guard let self else {
                    close(socket)
                    return
                }
                Thread.detachNewThread { self.serve(socket) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var requests: [Request] { log.withLock { $0 } }

    private func serve(_ socket: Int32) {
        defer { close(socket) }
        guard let request = read(socket) else { return }
        log.withLock { $0.append(request) }
        handler(request, Connection(socket: socket))
    }

    private func read(_ socket: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        func more() -> Bool {
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            if count > 0 { bytes += buffer[..<count] }
            return count > 0
        }
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            guard more() else { return nil }
            if bytes.count >= 4 { headEnd = (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(end) } }
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces) }
        }
        let length = Int(headers["content-length"] ?? "") ?? 0
        while bytes.count < headEnd + 4 + length { guard more() else { return nil } }
        return Request(method: String(words[0]), target: String(words[1]), headers: headers, body: Array(bytes[(headEnd + 4)...]))
    }
}

/// Sockets that listen.
enum Listening {
    struct Failed: Error { var reason: String }

    static func open(_ address: String, _ port: Int) throws -> (socket: Int32, port: Int) {
        let isVersion6 = address.contains(":")
        let descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var status: Int32 = -1
        var bound = 0
        if isVersion6 {
            unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size))
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = in_port_t(UInt16(port)).bigEndian
            _ = unsafe inet_pton(AF_INET6, address, &name.sin6_addr)
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            unsafe withUnsafeMutablePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    status = unsafe bind(descriptor, $0, size)
                    _ = unsafe getsockname(descriptor, $0, &size)
                }
            }
            bound = Int(UInt16(bigEndian: name.sin6_port))
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = in_port_t(UInt16(port)).bigEndian
            _ = unsafe inet_pton(AF_INET, address, &name.sin_addr)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            unsafe withUnsafeMutablePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    status = unsafe bind(descriptor, $0, size)
                    _ = unsafe getsockname(descriptor, $0, &size)
                }
            }
            bound = Int(UInt16(bigEndian: name.sin_port))
        }
        guard status == 0, listen(descriptor, 128) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            close(descriptor)
            throw Failed(reason: "\(address):\(port): \(reason)")
        }
        return (descriptor, bound)
    }
}
