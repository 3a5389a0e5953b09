import SottoSherpaProtocol
import SottoSubprocess

/// One child process with one model in it. Used by one task at a time; whoever takes it from the ``SherpaPool`` owns it.
///
/// After an error the child is gone or going: an answer cut short would be taken for the next one's.
final class SherpaConnection {
    private let process: Coprocess
    private let configuration: SherpaConfiguration
    private var reader = SherpaFrameReader()
    private var lastRequest: UInt32 = 0
    private(set) var loaded = SherpaLoaded(sampleRate: 16_000)
    private(set) var isUsable = true

    /// The number that cancels carry: no request has it.
    private static let cancelNumber: UInt32 = 0

    /// Starts a child and loads a model there.
    ///
    /// - Throws: ``SherpaHostError``; `CancellationError`.
    static func open(_ load: SherpaLoad, _ configuration: SherpaConfiguration) async throws -> sending SherpaConnection {
        let connection = try SherpaConnection(configuration)
        let greeting = try await connection.ask(.describe, json: SherpaGreeting(), deadline: configuration.startDeadline)
        guard greeting.kind == .described else { throw SherpaHostError.unexpected(greeting) }
        let version = try connection.understood { try greeting.value(SherpaGreeting.self) }.version
        guard version == SherpaFrame.version else {
            throw SherpaHostError(
                .malformedAnswer, "the sherpa host speaks version \(version) and Sotto \(SherpaFrame.version); install both of one release")
        }
        let answer = try await connection.ask(.load, json: load, deadline: configuration.loadDeadline)
        guard answer.kind == .loaded else { throw SherpaHostError.unexpected(answer) }
        connection.loaded = try connection.understood { try answer.value(SherpaLoaded.self) }
        guard (8000...192_000).contains(connection.loaded.sampleRate), (0...20).contains(connection.loaded.tailPadding) else {
            throw SherpaHostError(.malformedAnswer, "the sherpa host says that the model has \(connection.loaded.sampleRate) Hz")
        }
        return connection
    }

    private init(_ configuration: SherpaConfiguration) throws(SherpaHostError) {
        self.configuration = configuration
        do {
            process = try Coprocess(Subprocess.Request(configuration.program, configuration.arguments, maximumErrorOutput: 16 << 10))
        } catch {
            throw SherpaHostError(.notStarted, "the program for sherpa-onnx's models cannot be started: \(error.message)", cause: error)
        }
    }

    /// The child's process number, for tests.
    var processID: Int32 { process.processID }

    func ask(_ kind: SherpaFrame.Kind, json value: some Encodable, deadline: Duration, each: (SherpaFrame) async throws -> Void = { _ in })
        async throws -> SherpaFrame
    {
        let number = nextNumber()
        let frame = try understood { try SherpaFrame(kind, request: number, json: value) }
        return try await exchange(frame, deadline: deadline, each: each)
    }

    func ask(
        _ kind: SherpaFrame.Kind, samples: some Collection<Float> = [], deadline: Duration, each: (SherpaFrame) async throws -> Void = { _ in }
    ) async throws -> SherpaFrame {
        try await exchange(SherpaFrame(kind, request: nextNumber(), samples: samples), deadline: deadline, each: each)
    }

    /// Sends a request and reads its answers.
    ///
    /// A cancel tells the child to stop, and kills it when it has not stopped within ``SherpaConfiguration/cancelGrace``.
    /// - Parameters:
    ///   - deadline: The longest time between two answers.
    ///   - each: Takes the answers before the last one.
    /// - Returns: The last answer.
    /// - Throws: ``SherpaHostError``, which names the last line that the library printed; `CancellationError`.
    private func exchange(_ frame: SherpaFrame, deadline: Duration, each: (SherpaFrame) async throws -> Void) async throws -> SherpaFrame {
        try Task.checkCancellation()
        guard isUsable else { throw SherpaHostError(.ended, "the sherpa host is gone") }
        isUsable = false
        let bytes = try understood { try frame.encoded() }
        let (process, grace) = (process, configuration.cancelGrace)
        let cancel = try understood { try SherpaFrame(cancelling: frame.request, as: Self.cancelNumber).encoded() }
        process.setDeadline(deadline)
        let answer: SherpaFrame = try await withTaskCancellationHandler {
            process.write(bytes)
            while true {
                while let answer = try understood({ try reader.next() }) {
                    guard answer.request == frame.request, answer.kind.rawValue >= SherpaFrame.Kind.described.rawValue else {
                        process.kill()
                        throw SherpaHostError(.malformedAnswer, "the sherpa host answered what nobody asked (\"\(answer.kind)\")")
                    }
                    if answer.kind.isLast {
                        process.setDeadline(nil)
                        return answer
                    }
                    if Task.isCancelled { continue }
                    // However long our reader takes, the child is not late for it.
                    process.setDeadline(nil)
                    do {
                        try await each(answer)
                    } catch {
                        process.kill()
                        throw error
                    }
                    process.setDeadline(Task.isCancelled ? grace : deadline)
                }
                do throws(SubprocessError) {
                    reader.append(try await process.read())
                } catch {
                    try Task.checkCancellation()
                    throw SherpaHostError(error, during: frame.kind)
                }
            }
        } onCancel: {
            process.write(cancel)
            process.setDeadline(grace)
        }
        isUsable = true
        try Task.checkCancellation()
        if answer.kind == .failed {
            let failure = try understood { try answer.value(SherpaFailure.self) }
            throw SherpaHostError(failure)
        }
        return answer
    }

    private func nextNumber() -> UInt32 {
        lastRequest &+= 1
        if lastRequest == Self.cancelNumber { lastRequest = 1 }
        return lastRequest
    }

    /// What the protocol cannot make sense of ends the child.
    private func understood<Value>(_ body: () throws -> Value) throws(SherpaHostError) -> Value {
        do { return try body() } catch {
            process.kill()
            isUsable = false
            throw SherpaHostError(.malformedAnswer, "the sherpa host and Sotto do not understand one another: \(error)", cause: error)
        }
    }
}
