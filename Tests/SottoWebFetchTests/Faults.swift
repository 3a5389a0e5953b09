import Foundation

/// The pages of the test web, by path.
enum Faults {
    static let body = "<!doctype html><title>A page</title><p>" + String(repeating: "Plain words of a page. ", count: 60)

    static func serve(_ request: TestWeb.Request, _ connection: TestWeb.Connection) {
        let parts = request.target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
        switch parts {
        case "/robots.txt": robots(request.host, connection)
        case "/page": connection.answer(html: body)
        case "/missing": connection.answer(404, ["Content-Type": "text/html"], Array("<p>gone</p>".utf8))
        case "/secret": connection.answer(403, [:], Array("no".utf8))
        case "/busy": connection.answer(429, ["Retry-After": "7"], Array("slow down".utf8))
        case "/broken": connection.answer(500, [:], Array("oops".utf8))
        case "/loop": connection.answer(302, ["Location": "/loop2"])
        case "/loop2": connection.answer(302, ["Location": "/loop"])
        case "/self": connection.answer(302, ["Location": "/self"])
        case let path where path.hasPrefix("/chain/"):
            let left = Int(path.dropFirst(7)) ?? 0
            left == 0 ? connection.answer(html: body) : connection.answer(301, ["Location": "\(left - 1)"])
        case "/to": connection.answer(302, ["Location": String(request.target.dropFirst(4)).removingPercentEncoding ?? ""], Array("moved".utf8))
        case "/drip":
            // 1 KiB every 50 ms, for ever.
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
            while connection.send([UInt8](repeating: 0x61, count: 1_024)), connection.waitForClose(milliseconds: 50) == false {}
        case "/drip-headers":
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-Slow: \(Int.random(in: 0...9))\r\n"), connection.waitForClose(milliseconds: 20) == false {}
        case "/silent": connection.waitForClose()
        case "/stall":
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<p>begin")
            connection.waitForClose()
        case "/endless":
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html>")
            let piece = Array(String(repeating: "endless words ", count: 1_000).utf8)
            while connection.send(piece) {}
        case "/endless-chunks":
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send("1000\r\n" + String(repeating: "c", count: 4_096) + "\r\n") {}
        case "/endless-headers":
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-More: " + String(repeating: "h", count: 8_000) + "\r\n") {}
        case "/endless-pdf":
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7\n")
            let piece = [UInt8](repeating: 0x25, count: 65_536)
            while connection.send(piece) {}
        case "/big-pdf": connection.answer(200, ["Content-Type": "text/html"], Array("%PDF-1.7\n".utf8) + [UInt8](repeating: 0x20, count: 3_000_000))
        case "/image":
            connection.answer(200, ["Content-Type": "text/html"], [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + [UInt8](repeating: 0, count: 5_000))
        case "/short":
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>half of it")
        case "/nothing": break
        case "/garbage": connection.send("SSH-2.0-OpenSSH_9.2\r\nnot a web server at all\r\n")
        case "/charset": connection.answer(200, ["Content-Type": "text/html; charset=\"Shift_JIS\""], Array("<p>".utf8) + [0x93, 0xFA, 0x96, 0x7B])
        case "/wrong-encoding":
            connection.answer(200, ["Content-Type": "text/html", "Content-Encoding": "gzip"], Array("<p>this is not packed at all".utf8))
        case "/unknown-encoding":
            connection.answer(200, ["Content-Type": "text/html", "Content-Encoding": "compress42"], Array("<p>packed somehow".utf8))
        case let path where path.hasPrefix("/packed/"):
            let name = String(path.dropFirst(8))
            let encodings = ["gz": "gzip", "br": "br", "zst": "zstd", "deflate": "deflate"]
            let encoding = name.split(separator: ".").dropFirst().compactMap { encodings[String($0)] }.joined(separator: ", ")
            let bytes = (try? Fixture.bytes(name)) ?? []
            if request.target.hasSuffix("?chunked") {
                connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: \(encoding)\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n0\r\n\r\n".utf8))
            } else {
                connection.answer(200, ["Content-Type": "text/html", "Content-Encoding": encoding], bytes)
            }
        default: connection.answer(html: body)
        }
    }

    private static func robots(_ host: String, _ connection: TestWeb.Connection) {
        switch host.split(separator: ".").first {
        case "closed": connection.answer(200, ["Content-Type": "text/plain"], Array("User-agent: *\nDisallow: /\n".utf8))
        case "named":
            connection.answer(
                200, ["Content-Type": "text/plain"], Array("User-agent: *\nDisallow: /\n\nUser-agent: sotto\nDisallow: /missing\n".utf8))
        case "failing": connection.answer(503, [:], [])
        case "moved": connection.answer(301, ["Location": "http://named.\(host.split(separator: ".", maxSplits: 1).last ?? "")/robots.txt"])
        case "lost": connection.answer(302, ["Location": "http://127.0.0.1:1/robots.txt"])
        default: connection.answer(404)
        }
    }
}
