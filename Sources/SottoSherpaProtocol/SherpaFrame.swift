/// One message between Sotto and the child process that holds sherpa-onnx.
///
/// On the wire: the length of what follows (4 bytes, little-endian), one byte for the kind, the number of the request that it belongs
/// to (4 bytes, little-endian), and the payload: JSON, or samples as little-endian 32-bit floats. Requests are worked on one after
/// another; each is answered by any number of updates or pieces of audio and then by exactly one last answer. A cancel names the
/// request that it means and has no answer of its own. `docs/sherpa.md` holds the whole protocol.
public struct SherpaFrame: Sendable, Equatable {
    /// What a message is.
    public enum Kind: UInt8, Sendable, CaseIterable {
        // Requests.
        /// Which version of the protocol and of the library is this? Payload: ``SherpaGreeting``.
        case describe = 1
        /// Takes a model into memory. Payload: ``SherpaLoad``.
        case load = 2
        /// Begins a recording with no memory of any other. No payload.
        case begin = 3
        /// The next samples of the recording at the model's rate.
        case feed = 4
        /// Ends the utterance: everything that was said gets its final, and the next sample begins with no memory. No payload.
        case flush = 5
        /// Ends the recording: as ``flush``, and the stream is gone. No payload.
        case finish = 6
        /// The samples that a voice is to sound like, for the ``synthesize`` that follows; several add up.
        case reference = 7
        /// Makes speech. Payload: ``SherpaSpeech``.
        case synthesize = 8
        /// Stops the request that the payload names (4 bytes, little-endian) as soon as possible.
        case cancel = 9
        /// Ends the child. No payload, no answer.
        case quit = 10

        // Answers.
        /// Last answer to ``describe``. Payload: ``SherpaGreeting``.
        case described = 65
        /// Last answer to ``load``. Payload: ``SherpaLoaded``.
        case loaded = 66
        /// What the samples made known. Payload: ``SherpaUpdate``.
        case update = 67
        /// A piece of speech, at the model's rate.
        case audio = 68
        /// Last answer to ``begin``, ``feed``, ``flush``, ``finish``, ``reference`` and ``synthesize``. No payload.
        case done = 69
        /// Last answer to a request that a cancel stopped. No payload.
        case cancelled = 70
        /// Last answer to a request that could not be carried out. Payload: ``SherpaFailure``.
        case failed = 71

        /// Whether the request is over with this answer.
        public var isLast: Bool { rawValue >= 65 && self != .update && self != .audio }
    }

    /// The version of the protocol; both sides must have the same.
    public static let version = 1
    /// The most bytes that may follow the length field: a minute of samples and more.
    public static let maximumLength = 4 << 20
    /// The most samples in one message.
    public static let maximumSamples = 1 << 19
    /// Bytes of the kind and the request's number.
    static let headerLength = 5

    public var kind: Kind
    /// The request that this is, or belongs to.
    public var request: UInt32
    public var payload: [UInt8]

    public init(_ kind: Kind, request: UInt32, payload: [UInt8] = []) {
        self.kind = kind
        self.request = request
        self.payload = payload
    }

    /// A message with a value in it.
    ///
    /// - Throws: ``SherpaProtocolError`` `.tooLong`.
    public init(_ kind: Kind, request: UInt32, json value: some Encodable) throws(SherpaProtocolError) {
        self.init(kind, request: request, payload: try SherpaJSON.bytes(of: value))
    }

    /// A message with samples in it; at most ``maximumSamples``.
    public init(_ kind: Kind, request: UInt32, samples: some Collection<Float>) {
        var payload: [UInt8] = []
        payload.reserveCapacity(samples.count * 4)
        for sample in samples { Self.append(sample.bitPattern, to: &payload) }
        self.init(kind, request: request, payload: payload)
    }

    /// A cancel of another request.
    public init(cancelling request: UInt32, as number: UInt32) {
        var payload: [UInt8] = []
        Self.append(request, to: &payload)
        self.init(.cancel, request: number, payload: payload)
    }

    /// The message as it is written.
    ///
    /// - Throws: ``SherpaProtocolError`` `.tooLong` when it is longer than ``maximumLength``.
    public func encoded() throws(SherpaProtocolError) -> [UInt8] {
        let length = payload.count + Self.headerLength
        guard length <= Self.maximumLength else {
            throw SherpaProtocolError(.tooLong, "a message of \(length) bytes is longer than the \(Self.maximumLength) that are allowed")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + 4)
        Self.append(UInt32(length), to: &bytes)
        bytes.append(kind.rawValue)
        Self.append(request, to: &bytes)
        return bytes + payload
    }

    /// The samples of the payload.
    ///
    /// - Throws: ``SherpaProtocolError`` `.malformed` when the length is no multiple of four, or a sample is no number.
    public func samples() throws(SherpaProtocolError) -> [Float] {
        guard payload.count.isMultiple(of: 4) else {
            throw SherpaProtocolError(.malformed, "a message with samples has \(payload.count) bytes, which is no multiple of four")
        }
        var samples: [Float] = []
        samples.reserveCapacity(payload.count / 4)
        for index in stride(from: 0, to: payload.count, by: 4) {
            let sample = Float(bitPattern: Self.number(payload[index..<(index + 4)]))
            guard sample.isFinite else { throw SherpaProtocolError(.malformed, "a sample is no number") }
            samples.append(sample)
        }
        return samples
    }

    /// The value of the payload.
    ///
    /// - Throws: ``SherpaProtocolError`` `.malformed`.
    public func value<Value: Decodable>(_ type: Value.Type) throws(SherpaProtocolError) -> Value {
        try SherpaJSON.value(of: payload, as: type, kind: kind)
    }

    /// The request that a cancel names.
    ///
    /// - Throws: ``SherpaProtocolError`` `.malformed`.
    public func cancelledRequest() throws(SherpaProtocolError) -> UInt32 {
        guard payload.count == 4 else { throw SherpaProtocolError(.malformed, "a cancel has \(payload.count) bytes instead of four") }
        return Self.number(payload[...])
    }

    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}
