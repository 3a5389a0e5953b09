import SottoServiceExchange

/// Takes a `multipart/form-data` body apart while it arrives (RFC 2046, RFC 7578). Bytes in, events out; what it holds is bounded by the longest head
/// of a part, whatever arrives.
struct MultipartParser: Sendable {
    enum Event: Sendable, Equatable {
        /// A part begins.
        case part(Head)
        /// More of its contents.
        case data([UInt8])
        case partEnd
    }

    struct Head: Sendable, Equatable {
        var name: String
        var fileName: String?
        var contentType: String?
    }

    struct Fault: Error, Equatable {
        var message: String
    }

    private enum State { case preamble, afterBoundary, head, contents, epilogue }

    private static let longestHead = 16 << 10
    private static let mostParts = 1_000

    private let boundary: [UInt8]
    private var state = State.preamble
    private var held: [UInt8]
    private var parts = 0

    /// Whether the closing boundary has come.
    private(set) var isComplete = false

    /// - Parameter contentType: The header's value.
    init(contentType: String) throws(Fault) {
        let fields = HeaderValue(contentType)
        guard fields.value.lowercased() == "multipart/form-data" else { throw Fault(message: "the body is to be multipart/form-data") }
        guard let boundary = fields.parameters["boundary"], (1...70).contains(boundary.utf8.count) else {
            throw Fault(message: "the content type names no usable boundary")
        }
        self.boundary = Array("\r\n--".utf8) + Array(boundary.utf8)
        // So that a boundary at the very beginning looks like any other.
        held = Array("\r\n".utf8)
    }

    /// Takes the next bytes.
    mutating func append(_ bytes: [UInt8]) throws(Fault) -> [Event] {
        guard state != .epilogue else { return [] }
        held += bytes
        var events: [Event] = []
        var position = 0
        scan: while true {
            switch state {
            case .preamble, .contents:
                let found = find(from: position)
                // A boundary may begin in the last bytes and end in the next ones.
                let safe = found ?? max(position, held.count - boundary.count + 1)
                if state == .contents, safe > position { events.append(.data(Array(held[position..<safe]))) }
                position = safe
                guard let found else { break scan }
                if state == .contents { events.append(.partEnd) }
                position = found + boundary.count
                state = .afterBoundary
            case .afterBoundary:
                guard held.count - position >= 2 else { break scan }
                if held[position] == UInt8(ascii: "-"), held[position + 1] == UInt8(ascii: "-") {
                    isComplete = true
                    state = .epilogue
                    held = []
                    return events
                }
                // Spaces may stand between a boundary and its line's end.
                if held[position] == 0x20 || held[position] == 0x09 {
                    position += 1
                    continue
                }
                guard held[position] == 0x0D, held[position + 1] == 0x0A else { throw Fault(message: "a boundary is followed by something else than a new line") }
                // The line's end stays: a part without any field begins with an empty line.
                state = .head
            case .head:
                guard let end = Self.emptyLine(held, from: position) else {
                    guard held.count - position <= Self.longestHead else { throw Fault(message: "the head of a part is longer than \(Self.longestHead) bytes") }
                    break scan
                }
                guard end - position <= Self.longestHead else { throw Fault(message: "the head of a part is longer than \(Self.longestHead) bytes") }
                parts += 1
                guard parts <= Self.mostParts else { throw Fault(message: "there are more than \(Self.mostParts) parts") }
                events.append(.part(try Self.head(held[position..<end])))
                position = end + 2
                // What follows may be a boundary at once, whose line's end is that of the empty line.
                state = .contents
            case .epilogue: break scan
            }
        }
        held.removeFirst(position)
        return events
    }

    /// Where the next boundary begins.
    private func find(from start: Int) -> Int? {
        var position = start
        let last = held.count - boundary.count
        while position <= last {
            if held[position] == 0x0D, held[position..<(position + boundary.count)].elementsEqual(boundary) { return position }
            position += 1
        }
        return nil
    }

    /// Where the line's end before an empty line is, so that the empty line's own end follows it.
    private static func emptyLine(_ bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while position + 3 < bytes.count {
            if bytes[position] == 0x0D, bytes[position + 1] == 0x0A, bytes[position + 2] == 0x0D, bytes[position + 3] == 0x0A { return position + 2 }
            position += 1
        }
        return nil
    }

    private static func head(_ bytes: ArraySlice<UInt8>) throws(Fault) -> Head {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault(message: "the head of a part is not UTF-8 text") }
        var name: String?
        var fileName: String?
        var type: String?
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { throw Fault(message: "a line in the head of a part has no colon") }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            switch line[..<colon].lowercased() {
            case "content-disposition":
                let fields = HeaderValue(String(value))
                guard fields.value.lowercased() == "form-data" else { throw Fault(message: "a part is not form-data") }
                name = fields.parameters["name"]
                fileName = fields.parameters["filename"]
            case "content-type": type = String(value)
            default: break
            }
        }
        guard let name else { throw Fault(message: "a part has no name") }
        return Head(name: name, fileName: fileName, contentType: type)
    }
}
