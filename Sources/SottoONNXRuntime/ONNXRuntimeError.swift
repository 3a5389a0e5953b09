/// Why ONNX Runtime failed; the message says what to do.
public struct ONNXRuntimeError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable { case wrongVersion, modelNotLoaded, badInput, runFailed }
    public var code: Code
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
