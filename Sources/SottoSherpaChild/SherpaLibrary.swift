internal import CSherpaONNX
internal import Glibc
import SottoSherpaProtocol

/// sherpa-onnx, loaded from its own folder beside its own ONNX Runtime. Never unloaded: the process ends with it.
@safe struct SherpaLibrary {
    /// The version whose structures were compiled in; another one may lay them out otherwise.
    static let version = "2.0.1"
    static let file = "libsherpa-onnx-c-api.so"

    let calls: sotto_sherpa

    /// - Throws: ``SherpaFailure`` `.libraryMissing`.
    init(folder: String) throws(SherpaFailure) {
        let path = folder + "/" + Self.file
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? path
            throw SherpaFailure(.libraryMissing, "sherpa-onnx cannot be loaded (\(reason)); run Scripts/setup-runtime, or install Sotto again")
        }
        var calls = sotto_sherpa()
        if let missing = unsafe sotto_sherpa_bind(handle, &calls) {
            throw SherpaFailure(.libraryMissing, "\(path) has no \(unsafe String(cString: missing)); sherpa-onnx \(Self.version) is needed")
        }
        let found = unsafe calls.version().map { unsafe String(cString: $0) } ?? "unknown"
        guard found == Self.version else {
            throw SherpaFailure(.libraryMissing, "\(path) is sherpa-onnx \(found); \(Self.version) is needed: run Scripts/setup-runtime")
        }
        self.calls = calls
    }
}
