/// Takes the chunked coding off a body (RFC 9112, 7.1), strictly: CR LF only, sizes in hexadecimal digits only.
public struct ChunkedDecoder: Sendable {
    private enum State {
        case size, extensions, sizeEnd
        case data(Int)
        case dataEnd(Int)
        case trailer, trailerLine, trailerLineEnd, lastLineEnd, done
    }

    private static let mostDigits = 8
    private static let longestExtension = 256
    private static let longestTrailer = 4 << 10

    private var state = State.size
    private var size = 0
    private var digits = 0
    private var extensionBytes = 0
    private var trailerBytes = 0

    public init() {}

    public var isComplete: Bool { if case .done = state { true } else { false } }

    /// Takes the next bytes.
    ///
    /// - Returns: What they hold of the body, and how many of them belong to the body at all; the others are what follows it.
    /// - Throws: ``Problem`` 400, after which the connection is of no use.
    public mutating func append(_ bytes: ArraySlice<UInt8>) throws(Problem) -> (data: [UInt8], used: Int) {
        var data: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex, isComplete == false {
            let byte = bytes[index]
            switch state {
            case .size:
                if let digit = HTTPText.hexValue(byte) {
                    digits += 1
                    guard digits <= Self.mostDigits else { throw Self.fault("a chunk's size has more than \(Self.mostDigits) digits") }
                    size = size << 4 | Int(digit)
                } else {
                    guard digits > 0 else { throw Self.fault("a chunk has no size") }
                    switch byte {
                    case 0x0D: state = .sizeEnd
                    case UInt8(ascii: ";"): state = .extensions
                    default: throw Self.fault("a chunk's size is not written in hexadecimal digits")
                    }
                }
            case .extensions:
                extensionBytes += 1
                guard extensionBytes <= Self.longestExtension else {
                    throw Self.fault("a chunk's extension is longer than \(Self.longestExtension) bytes")
                }
                if byte == 0x0D {
                    state = .sizeEnd
                } else if HTTPText.isValue(byte) == false {
                    throw Self.fault("a chunk's extension holds a control character")
                }
            case .sizeEnd:
                guard byte == 0x0A else { throw Self.fault("a chunk's first line does not end with CR LF") }
                state = size == 0 ? .trailer : .data(size)
                (size, digits, extensionBytes) = (0, 0, 0)
            case .data(let left):
                let count = min(left, bytes.endIndex - index)
                data += bytes[index..<(index + count)]
                index += count
                state = count == left ? .dataEnd(0) : .data(left - count)
                continue
            case .dataEnd(let seen):
                guard byte == (seen == 0 ? 0x0D : 0x0A) else { throw Self.fault("a chunk is longer than its size says") }
                state = seen == 0 ? .dataEnd(1) : .size
            case .trailer:
                state = byte == 0x0D ? .lastLineEnd : .trailerLine
                if byte != 0x0D { continue }
            case .trailerLine:
                trailerBytes += 1
                guard trailerBytes <= Self.longestTrailer else {
                    throw Self.fault("the fields after the body are longer than \(Self.longestTrailer) bytes")
                }
                if byte == 0x0D {
                    state = .trailerLineEnd
                } else if HTTPText.isValue(byte) == false {
                    throw Self.fault("a field after the body holds a control character")
                }
            case .trailerLineEnd:
                guard byte == 0x0A else { throw Self.fault("a line after the body does not end with CR LF") }
                state = .trailer
            case .lastLineEnd:
                guard byte == 0x0A else { throw Self.fault("the body does not end with CR LF") }
                state = .done
            case .done: break
            }
            index += 1
        }
        return (data, index - bytes.startIndex)
    }

    private static func fault(_ what: String) -> Problem { Problem.malformed(400, "bad-chunk", "the chunked body is broken: \(what)") }
}
