internal import Glibc
public import SottoStreams

/// Runs programs without a shell: in a process group of their own, with a minimal environment, no inherited descriptors,
/// bounded output, and a kill that reaches every descendant of the group.
///
/// ```swift
/// let output = try await Subprocess.run(.init("pdftotext", ["-", "-"], input: .bytes(pdf), package: "poppler-utils"))
/// let text = try output.checked()
/// ```
/// Left out: terminals, shells, inherited environments.
public enum Subprocess {
    /// What the child reads on its standard input.
    public enum Input: Sendable, Equatable {
        /// Nothing: the end of the file at once.
        case none
        /// These bytes, through a pipe.
        case bytes([UInt8])
        /// A file, opened by us for reading; the child never sees its name.
        case file(String)
    }

    /// A program, its arguments and its limits.
    public struct Request: Sendable {
        /// A name that is looked for in ``Subprocess/searchPath``, or an absolute path.
        public var program: String
        public var arguments: [String]
        public var input: Input
        /// Added to `PATH` and `LANG=C.UTF-8`, which are all the child gets otherwise.
        public var environment: [String: String]
        /// Hands on our `HOME`, for programs that read settings.
        public var needsHome: Bool
        /// The folder it starts in; `/` by default, so that no relative name means anything.
        public var workingDirectory: String
        /// The most bytes of standard output that ``Subprocess/run(_:)`` keeps.
        public var maximumOutput: Int
        /// The most bytes of standard error that are kept; what follows is dropped.
        public var maximumErrorOutput: Int
        /// The longest time from start to end; no limit when `nil`.
        public var deadline: Duration?
        /// The most address space, in bytes, set by util-linux's `prlimit`.
        public var memoryLimit: Int?
        /// The most processor time, in whole seconds, set by util-linux's `prlimit`.
        public var processorTimeLimit: Int?
        /// The Debian package that holds the program, for the message when it is missing.
        public var package: String?

        public init(
            _ program: String, _ arguments: [String] = [], input: Input = .none, environment: [String: String] = [:], needsHome: Bool = false,
            workingDirectory: String = "/", maximumOutput: Int = 64 << 20, maximumErrorOutput: Int = 64 << 10, deadline: Duration? = nil,
            memoryLimit: Int? = nil, processorTimeLimit: Int? = nil, package: String? = nil
        ) {
            self.program = program
            self.arguments = arguments
            self.input = input
            self.environment = environment
            self.needsHome = needsHome
            self.workingDirectory = workingDirectory
            self.maximumOutput = maximumOutput
            self.maximumErrorOutput = maximumErrorOutput
            self.deadline = deadline
            self.memoryLimit = memoryLimit
            self.processorTimeLimit = processorTimeLimit
            self.package = package
        }
    }

    /// How a child ended.
    public enum ExitStatus: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
    }

    /// Everything that a child wrote, and how it ended.
    public struct Output: Sendable {
        public var standardOutput: [UInt8]
        public var standardError: [UInt8]
        public var status: ExitStatus
        /// The program's name, for messages.
        public var program: String

        /// The standard error as text, without surrounding white space.
        public var errorText: String { trimmedText(standardError) }

        /// The standard output, when the child ended well.
        ///
        /// - Throws: ``SubprocessError`` `.failed` with the last line that the child wrote to its standard error.
        public func checked() throws(SubprocessError) -> [UInt8] {
            guard status == .exited(0) else { throw .failure(of: program, status: status, errorOutput: standardError) }
            return standardOutput
        }
    }

    /// Where programs are looked for.
    public static let searchPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"]

    /// The absolute path of a program.
    ///
    /// - Throws: ``SubprocessError`` `.notFound` naming the package to install.
    public static func locate(_ program: String, package: String? = nil) throws(SubprocessError) -> String {
        if program.hasPrefix("/") {
            if unsafe access(program, X_OK) == 0 { return program }
        } else {
            for folder in searchPath where unsafe access(folder + "/" + program, X_OK) == 0 { return folder + "/" + program }
        }
        let advice = package.map { "; install it with `apt-get install \($0)`" } ?? ""
        throw SubprocessError(.notFound, "the program \(program) is not installed\(advice)")
    }

    /// Runs a program to its end and returns what it wrote; a status other than 0 is not an error here.
    ///
    /// Cancelling the task kills the whole process group at once; the call returns when the child has been reaped.
    /// - Throws: ``SubprocessError`` (`.notFound`, `.notStarted`, `.outputTooLarge`, `.deadlineExceeded`); `CancellationError`.
    public static func run(_ request: Request) async throws -> Output {
        try Task.checkCancellation()
        let child = try ChildProcess(request, keepsInputOpen: false)
        return try await withTaskCancellationHandler {
            var collected: [UInt8] = []
            var isTooLarge = false
            while let chunk = await child.nextChunk() {
                guard isTooLarge == false else { continue }
                if collected.count + chunk.count > request.maximumOutput {
                    isTooLarge = true
                    collected = []
                    child.kill()
                } else {
                    collected += chunk
                }
            }
            let ending = await child.ending()
            try Task.checkCancellation()
            if isTooLarge { throw SubprocessError.tooLarge(request) }
            if ending.reachedDeadline { throw SubprocessError.late(request) }
            return Output(
                standardOutput: collected, standardError: ending.errorOutput, status: ending.status, program: request.program)
        } onCancel: {
            child.kill()
        }
    }

    /// Runs a program and delivers its standard output in pieces, as they come; the child waits while the reader is behind.
    ///
    /// Dropping the iterator, or cancelling its task, kills the process group. ``Request/maximumOutput`` bounds the sum.
    /// - Parameter input: What the child reads after the request's own input, as it comes; memory stays flat whatever its length. An error
    ///   of it ends the child and is thrown on. A child that closes its input early is no error.
    /// - Throws: While iterating: ``SubprocessError``, `.failed` too when the child ends with a status other than 0.
    public static func stream(_ request: Request, feeding input: ProducedSequence<[UInt8]>? = nil) -> ProducedSequence<[UInt8]> {
        ProducedSequence(capacity: 1) { emit in
            let child = try ChildProcess(request, keepsInputOpen: input != nil)
            try await withTaskCancellationHandler {
                do {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        if let input {
                            group.addTask {
                                do {
                                    for try await chunk in input where await child.feed(chunk) == false { break }
                                    child.endInput()
                                } catch {
                                    child.kill()
                                    throw error
                                }
                            }
                        }
                        var total = 0
                        while let chunk = await child.nextChunk() {
                            try Task.checkCancellation()
                            total += chunk.count
                            guard total <= request.maximumOutput else { throw SubprocessError.tooLarge(request) }
                            try await emit(chunk)
                        }
                        _ = await child.ending()
                        // Nobody reads what may still come.
                        group.cancelAll()
                        if let failure = await group.nextResult(), case .failure(let error) = failure, error is CancellationError == false { throw error }
                    }
                } catch {
                    child.kill()
                    _ = await child.ending()
                    throw error
                }
                let ending = await child.ending()
                try Task.checkCancellation()
                if ending.reachedDeadline { throw SubprocessError.late(request) }
                guard ending.status == .exited(0) else {
                    throw SubprocessError.failure(of: request.program, status: ending.status, errorOutput: ending.errorOutput)
                }
            } onCancel: {
                child.kill()
            }
        }
    }

    /// The lines of a program's standard output, without their line ends; bytes that are not UTF-8 become U+FFFD.
    ///
    /// Otherwise as ``stream(_:)``.
    public static func lines(_ request: Request) -> ProducedSequence<String> {
        ProducedSequence(capacity: 16) { emit in
            var pending: [UInt8] = []
            for try await chunk in stream(request) {
                pending += chunk
                var start = pending.startIndex
                while let end = pending[start...].firstIndex(of: 0x0A) {
                    try await emit(String(decoding: pending[start..<end], as: UTF8.self))
                    start = end + 1
                }
                pending.removeSubrange(..<start)
            }
            if pending.isEmpty == false { try await emit(String(decoding: pending, as: UTF8.self)) }
        }
    }

    static func trimmedText(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let first = text.firstIndex(where: { $0.isWhitespace == false }),
            let last = text.lastIndex(where: { $0.isWhitespace == false })
        else { return "" }
        return String(text[first...last])
    }
}

extension SubprocessError {
    static func tooLarge(_ request: Subprocess.Request) -> Self {
        Self(.outputTooLarge, "\(request.program) wrote more than the \(request.maximumOutput) bytes allowed; it was stopped")
    }

    static func late(_ request: Subprocess.Request) -> Self {
        Self(.deadlineExceeded, "\(request.program) did not finish within \(request.deadline ?? .zero); it was stopped")
    }

    static func failure(of program: String, status: Subprocess.ExitStatus, errorOutput: [UInt8]) -> Self {
        let ending = switch status {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
        let lines = Subprocess.trimmedText(errorOutput).split(whereSeparator: \.isNewline).map(String.init)
        var error = Self(.failed, "\(program) \(ending)" + (lines.last.map { ": \($0)" } ?? ""))
        error.errorLines = lines
        return error
    }
}
