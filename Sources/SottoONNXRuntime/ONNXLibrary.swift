import CONNXRuntime
import Glibc

/// The loaded library: its table of functions and the one environment of the process.
///
/// The library keeps a single environment however often one is asked for, so a constant of the module is the honest
/// owner; it lives until the process ends.
@safe final class ONNXLibrary: @unchecked Sendable {  // Immutable pointers into a library that is safe for threads.
    /// The major and minor version that the slot table was checked against.
    static let supportedMajor = 1
    static let oldestMinor = 23

    private static let loaded: Result<ONNXLibrary, ONNXRuntimeError> = Result { () throws(ONNXRuntimeError) in try ONNXLibrary() }

    /// - Throws: ``ONNXRuntimeError`` `.wrongVersion` when the library that was found is too old or of another major version.
    static func shared() throws(ONNXRuntimeError) -> ONNXLibrary { try loaded.get() }

    let api: OrtApi
    let version: String
    private let environment: OpaquePointer

    private init() throws(ONNXRuntimeError) {
        guard let base = unsafe OrtGetApiBase(), let text = unsafe base.pointee.GetVersionString() else {
            throw ONNXRuntimeError(.wrongVersion, "ONNX Runtime does not answer; run: make setup")
        }
        version = unsafe String(cString: text)
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2, numbers[0] == Self.supportedMajor, numbers[1] >= Self.oldestMinor else {
            throw ONNXRuntimeError(.wrongVersion, "ONNX Runtime is \(version); 1.\(Self.oldestMinor) or later is needed. Run: make setup")
        }
        // 16 is old enough for every library that we accept, and has all the slots that are called.
        guard let table = unsafe base.pointee.GetApi(16) else {
            throw ONNXRuntimeError(.wrongVersion, "ONNX Runtime \(version) has no C API of version 16; run: make setup")
        }
        unsafe api = table.pointee
        // The official build keeps a data base of its uses and sends it to its makers unless this is set before its environment is made.
        unsafe setenv("ORT_DISABLE_TELEMETRY", "1", 1)
        var environment: OpaquePointer?
        let status = unsafe api.CreateEnv(3, "sotto", &environment)  // 3: errors only
        guard unsafe status == nil, let environment = unsafe environment else {
            throw ONNXRuntimeError(.wrongVersion, "ONNX Runtime \(version) gave no environment; run: make setup")
        }
        unsafe self.environment = environment
        // Once more by its own interface, for versions that know only that.
        if let status = unsafe api.DisableTelemetryEvents(environment) { unsafe api.ReleaseStatus(status) }
    }

    var environmentPointer: OpaquePointer { unsafe environment }

    /// Turns a status into an error and frees it.
    func check(_ status: OpaquePointer?, _ code: ONNXRuntimeError.Code, _ doing: String) throws(ONNXRuntimeError) {
        guard let status = unsafe status else { return }
        defer { unsafe api.ReleaseStatus(status) }
        let reason = unsafe api.GetErrorMessage(status).map { unsafe String(cString: $0) } ?? "no reason given"
        throw ONNXRuntimeError(code, "\(doing): \(reason)")
    }
}

/// The version of the library in use, such as `1.32.0`.
///
/// - Throws: ``ONNXRuntimeError`` `.wrongVersion`.
public func onnxRuntimeVersion() throws(ONNXRuntimeError) -> String { try ONNXLibrary.shared().version }
