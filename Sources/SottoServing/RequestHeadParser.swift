/// Reads the head of a request byte by byte, and nothing else than RFC 9112 allows a sender to send.
///
/// Where the standard lets a recipient be lenient (bare line feeds, folded lines, space before a colon) this parser refuses: two programs that read
/// the same bytes differently are how requests are smuggled. What it holds is bounded by ``ServerLimits/headBytes``.
public struct RequestHeadParser: Sendable {
    private let limits: ServerLimits
    private var held: [UInt8] = []
    /// Where the line being read began.
    private var lineStart = 0
    private var lines: [Range<Int>] = []
    /// Empty lines before the request line; one is forgiven (RFC 9112, 2.2).
    private var emptyLines = 0

    public init(limits: ServerLimits) { self.limits = limits }

    /// Whether anything of a head has come.
    public var hasBegun: Bool { held.isEmpty == false || emptyLines > 0 }

    /// Takes the next bytes.
    ///
    /// - Returns: The head and the bytes after it once it is whole, else `nil`.
    /// - Throws: ``Problem`` 400, 414, 431, 501 or 505, after which the connection is of no use.
    public mutating func append(_ bytes: [UInt8]) throws(Problem) -> (head: RequestHead, rest: [UInt8])? {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            let previous = held.count > lineStart ? held[held.count - 1] : 0
            if byte == 0x0A {
                guard previous == 0x0D else {
                    throw Problem.malformed(400, "bad-line-end", "a line ends with a line feed alone; lines end with CR LF")
                }
                let line = lineStart..<(held.count - 1)
                if line.isEmpty {
                    if lines.isEmpty {
                        emptyLines += 1
                        guard emptyLines <= 1 else {
                            throw Problem.malformed(400, "bad-request-line", "there are empty lines where a request begins")
                        }
                        held = []
                        lineStart = 0
                        continue
                    }
                    return (try finish(), Array(bytes[index...]))
                }
                lines.append(line)
                guard lines.count <= limits.headerCount + 1 else {
                    throw Problem.malformed(431, "too-many-headers", "the request has more than \(limits.headerCount) header fields; send fewer")
                }
                held.append(byte)
                lineStart = held.count
                continue
            }
            guard previous != 0x0D else { throw Problem.malformed(400, "bad-line-end", "a carriage return stands inside a line") }
            if lines.isEmpty { try checkRequestLine(byte) }
            guard byte == 0x0D || HTTPText.isValue(byte) else {
                throw Problem.malformed(400, "bad-character", "the head of the request holds a control character")
            }
            held.append(byte)
            guard held.count <= limits.headBytes else {
                throw Problem.malformed(
                    431, "head-too-large", "the head of the request is longer than \(limits.headBytes) bytes; send smaller headers")
            }
        }
        return nil
    }

    /// Refuses what cannot become a request line as soon as it shows, for example the first byte of a TLS handshake.
    private func checkRequestLine(_ byte: UInt8) throws(Problem) {
        if held.isEmpty, byte != 0x0D, HTTPText.isToken(byte) == false {
            throw Problem.malformed(400, "bad-request-line", "this is no HTTP request; the address begins with http://")
        }
        guard held.count < limits.targetBytes + 32 else {
            throw Problem.malformed(414, "target-too-long", "the address is longer than \(limits.targetBytes) bytes")
        }
    }

    private func finish() throws(Problem) -> RequestHead {
        let parts = held[lines[0]].split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPText.isToken(parts[0]), parts[1].isEmpty == false, parts[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem.malformed(
                400, "bad-request-line", "the request line is to be a method, an address and a version, with one space between them")
        }
        guard parts[1].count <= limits.targetBytes else {
            throw Problem.malformed(414, "target-too-long", "the address is longer than \(limits.targetBytes) bytes")
        }
        let minorVersion: Int
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": minorVersion = 1
        case "HTTP/1.0": minorVersion = 0
        case let version where version.hasPrefix("HTTP/"): throw Problem.malformed(505, "unsupported-version", "this server speaks HTTP/1.1")
        default: throw Problem.malformed(400, "bad-request-line", "the request line ends with no HTTP version")
        }
        guard let method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
            throw Problem.malformed(501, "unknown-method", "this server knows \(HTTPMethod.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() { try headers.add(contentsOf: held[line]) }
        return RequestHead(
            method: method, target: try RequestTarget(String(decoding: parts[1], as: UTF8.self)), minorVersion: minorVersion, headers: headers)
    }
}

extension HTTPHeaders {
    /// Adds one line of a head.
    fileprivate mutating func add(contentsOf line: ArraySlice<UInt8>) throws(Problem) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw Problem.malformed(400, "bad-header", "a header line has no colon") }
        // This refuses folded lines and a space before the colon too.
        guard HTTPText.isToken(line[..<colon]) else {
            throw Problem.malformed(400, "bad-header", "the name of a header holds a character that names cannot have")
        }
        guard let value = String(validating: line[(colon + 1)...], as: UTF8.self) else {
            throw Problem.malformed(400, "bad-header", "the value of a header is no UTF-8")
        }
        add(String(decoding: line[..<colon], as: UTF8.self), HTTPText.trimmed(value))
    }
}
