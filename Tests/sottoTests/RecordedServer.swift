import Foundation
import Glibc
import Synchronization
import Testing

/// A server on this machine that gives recorded answers, and remembers what it was asked.
final class RecordedServer: Sendable {
    struct Answer: Sendable {
        var status = 200
        var type = "application/json"
        var body: [UInt8]
    }

    let port: Int
    private let listener: Int32
    private let asked = Mutex<[String]>([])

    /// - Parameter answer: What is answered to a target such as `/search?q=x`.
    init(_ answer: @escaping @Sendable (String) -> Answer) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                unsafe bind(descriptor, raw, size) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, raw, &length) == 0
            }
        }
        listener = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var request: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while request.suffix(4) != [13, 10, 13, 10] {
                    let count = unsafe recv(client, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    request += buffer[..<count]
                }
                let line = String(decoding: request, as: UTF8.self).split(separator: "\r\n").first ?? ""
                let words = line.split(separator: " ")
                if words.count > 1 {
                    let target = String(words[1])
                    asked.withLock { $0.append(target) }
                    let answer = answer(target)
                    let head =
                        "HTTP/1.1 \(answer.status) Status\r\nContent-Type: \(answer.type)\r\nContent-Length: \(answer.body.count)\r\nConnection: close\r\n\r\n"
                    let bytes = Array(head.utf8) + answer.body
                    _ = unsafe send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                }
                close(client)
            }
        }
    }

    var address: String { "http://127.0.0.1:\(port)" }
    var targets: [String] { asked.withLock { $0 } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
