/// How the child process for sherpa-onnx's models is run.
public struct SherpaConfiguration: Sendable {
    /// The program `sotto-sherpa-host`, as an absolute path.
    public var program: String
    /// Its arguments: the folder of the library.
    public var arguments: [String]
    /// The longest time until it says who it is.
    public var startDeadline: Duration
    /// The longest time that loading a model may take.
    public var loadDeadline: Duration
    /// The longest time between two answers: one utterance heard, or one piece of speech made.
    public var stepDeadline: Duration
    /// How long a step may go on after a cancel before the child is killed.
    public var cancelGrace: Duration
    /// Threads of the networks, at least 1.
    public var threads: Int

    public init(
        program: String, arguments: [String], startDeadline: Duration = .seconds(30), loadDeadline: Duration = .seconds(180),
        stepDeadline: Duration = .seconds(120), cancelGrace: Duration = .milliseconds(100), threads: Int = 1
    ) {
        self.program = program
        self.arguments = arguments
        self.startDeadline = startDeadline
        self.loadDeadline = loadDeadline
        self.stepDeadline = stepDeadline
        self.cancelGrace = cancelGrace
        self.threads = threads
    }

    /// The program beside ours, and its library: `lib/sherpa` of an installed tree, or `.runtime/lib/sherpa` of a checkout.
    ///
    /// - Parameters:
    ///   - executable: The running program's path.
    ///   - library: A folder to use instead.
    ///   - exists: Whether a file is there.
    /// - Throws: ``SherpaHostError`` `.notStarted`, which says what is missing.
    public static func locate(executable: String, library: String? = nil, exists: (String) -> Bool) throws(SherpaHostError) -> Self {
        let folder = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let program = folder + "/sotto-sherpa-host"
        guard exists(program) else {
            throw SherpaHostError(.notStarted, "\(program) is missing; build it with `make build`, or install Sotto again")
        }
        // .build/x86_64-unknown-linux-gnu/release, .build/release
        let places = library.map { [$0] } ?? ["../lib/sherpa", "../../.runtime/lib/sherpa", "../../../.runtime/lib/sherpa"].map { folder + "/" + $0 }
        guard let found = places.first(where: { exists($0 + "/libsherpa-onnx-c-api.so") }) else {
            throw SherpaHostError(.notStarted, "sherpa-onnx is in none of \(places.joined(separator: ", ")); run Scripts/setup-runtime")
        }
        return Self(program: program, arguments: [found])
    }
}
