internal import Foundation
public import SottoObservability

/// One message between a guest and the owner.
///
/// On the wire: the length of what follows (4 bytes, big-endian), one byte for the kind, and the payload.
public enum Frame: Sendable, Equatable {
    // From the guest.
    case hello(Greeting)
    case command(GuestCommand)
    /// A piece of the guest's standard input.
    case input([UInt8])
    case inputEnd
    case cancel

    // From the owner.
    case welcome(Greeting)
    /// The guest is turned away, and why.
    case refused(String)
    /// Bytes for the guest's standard output.
    case output([UInt8])
    /// A line for its standard error, which `--quiet` drops.
    case note(String)
    /// A line for its standard error that is always shown.
    case problem(String)
    case progress(SottoObservability.Progress)
    /// The command reads its standard input.
    case wantInput
    /// A sign of life.
    case alive
    /// The command has ended with a status.
    case exit(Int32)

    /// The most bytes that one frame may have, its length field left out.
    public static let maximumLength = 1 << 20

    private struct ProgressPayload: Codable {
        var phase: String
        var item: String
        var completed: Int64
        var total: Int64?
    }

    /// - Throws: ``OwnershipError`` `.badMessage` when it is longer than ``maximumLength``.
    func encoded() throws(OwnershipError) -> [UInt8] {
        let payload: [UInt8]
        switch self {
        case .hello(let greeting), .welcome(let greeting): payload = try Self.json(greeting)
        case .command(let command): payload = try Self.json(command)
        case .input(let bytes), .output(let bytes): payload = bytes
        case .refused(let text), .note(let text), .problem(let text): payload = Array(text.utf8)
        case .progress(let value):
            payload = try Self.json(ProgressPayload(phase: value.phase, item: value.item, completed: value.completed, total: value.total))
        case .exit(let status): payload = Self.bigEndian(UInt32(bitPattern: status))
        case .inputEnd, .cancel, .wantInput, .alive: payload = []
        }
        guard payload.count < Self.maximumLength else {
            throw OwnershipError(
                .badMessage, "the message has \(payload.count) bytes, and \(Self.maximumLength) are allowed; make the command shorter")
        }
        return Self.bigEndian(UInt32(payload.count + 1)) + [kind] + payload
    }

    private var kind: UInt8 {
        switch self {
        case .hello: 1
        case .command: 2
        case .input: 3
        case .inputEnd: 4
        case .cancel: 5
        case .welcome: 65
        case .refused: 66
        case .output: 67
        case .note: 68
        case .problem: 69
        case .progress: 70
        case .wantInput: 71
        case .alive: 72
        case .exit: 73
        }
    }

    /// - Throws: ``OwnershipError`` `.badMessage`.
    init(kind: UInt8, payload: ArraySlice<UInt8>) throws(OwnershipError) {
        func text() -> String { String(decoding: payload, as: UTF8.self) }
        func empty(_ frame: Frame) throws(OwnershipError) -> Frame {
            guard payload.isEmpty else { throw Self.malformed(kind) }
            return frame
        }
        switch kind {
        case 1: self = .hello(try Self.value(payload, kind))
        case 2: self = .command(try Self.value(payload, kind))
        case 3: self = .input(Array(payload))
        case 4: self = try empty(.inputEnd)
        case 5: self = try empty(.cancel)
        case 65: self = .welcome(try Self.value(payload, kind))
        case 66: self = .refused(text())
        case 67: self = .output(Array(payload))
        case 68: self = .note(text())
        case 69: self = .problem(text())
        case 70:
            let value: ProgressPayload = try Self.value(payload, kind)
            self = .progress(SottoObservability.Progress(phase: value.phase, item: value.item, completed: value.completed, total: value.total))
        case 71: self = try empty(.wantInput)
        case 72: self = try empty(.alive)
        case 73:
            guard payload.count == 4 else { throw Self.malformed(kind) }
            self = .exit(Int32(bitPattern: payload.reduce(0) { $0 << 8 | UInt32($1) }))
        default: throw OwnershipError(.badMessage, "a message of the unknown kind \(kind) came; both sides must be the same version of Sotto")
        }
    }

    private static func malformed(_ kind: UInt8) -> OwnershipError {
        OwnershipError(.badMessage, "a message of kind \(kind) came that cannot be read; both sides must be the same version of Sotto")
    }

    private static func json(_ value: some Encodable) throws(OwnershipError) -> [UInt8] {
        do { return [UInt8](try JSONEncoder().encode(value)) } catch { throw OwnershipError(.badMessage, "a message cannot be written: \(error)") }
    }

    private static func value<Value: Decodable>(_ payload: ArraySlice<UInt8>, _ kind: UInt8) throws(OwnershipError) -> Value {
        do { return try JSONDecoder().decode(Value.self, from: Data(payload)) } catch { throw malformed(kind) }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) } }
}
