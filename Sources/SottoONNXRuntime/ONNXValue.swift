import CONNXRuntime

/// A tensor that ONNX Runtime can read: made from Swift values, or an output that is kept where it is.
///
/// An output can be the next run's input without being copied, which is what a key/value cache needs.
@safe public final class ONNXValue: @unchecked Sendable {  // Never changed after it was made; freed once, by the last reference.
    public enum ElementType: Int32, Sendable { case float = 1, int32 = 6, int64 = 7, bool = 9 }

    private let library: ONNXLibrary
    private let value: OpaquePointer
    /// Memory of ours that the value looks into; `nil` when the library owns it.
    private let storage: UnsafeMutableRawPointer?

    public convenience init(_ floats: [Float], shape: [Int]) throws(ONNXRuntimeError) {
        try self.init(floats, shape: shape, type: .float)
    }

    public convenience init(_ integers: [Int64], shape: [Int]) throws(ONNXRuntimeError) {
        try self.init(integers, shape: shape, type: .int64)
    }

    public convenience init(_ integers: [Int32], shape: [Int]) throws(ONNXRuntimeError) {
        try self.init(integers, shape: shape, type: .int32)
    }

    public convenience init(_ truths: [Bool], shape: [Int]) throws(ONNXRuntimeError) {
        try self.init(truths, shape: shape, type: .bool)
    }

    /// - Parameters:
    ///   - elements: Row-major; as many as the product of `shape`.
    ///   - shape: Empty for a scalar.
    private init<Element>(_ elements: [Element], shape: [Int], type: ElementType) throws(ONNXRuntimeError) {
        guard elements.count == shape.reduce(1, *) else {
            throw ONNXRuntimeError(.badInput, "\(elements.count) values do not fill the shape \(shape)")
        }
        let library = try ONNXLibrary.shared()
        self.library = library
        let bytes = elements.count * MemoryLayout<Element>.stride
        let storage = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 1), alignment: 64)
        unsafe elements.withUnsafeBytes { source in
            if let base = source.baseAddress, bytes > 0 { unsafe storage.copyMemory(from: base, byteCount: bytes) }
        }
        var value: OpaquePointer?
        do throws(ONNXRuntimeError) {
            var memory: OpaquePointer?
            try unsafe library.check(library.api.CreateCpuMemoryInfo(1, 0, &memory), .badInput, "describing memory")
            defer { unsafe library.api.ReleaseMemoryInfo(memory) }
            let dimensions = shape.map(Int64.init)
            let status = unsafe library.api.CreateTensorWithDataAsOrtValue(
                memory, storage, bytes, dimensions, dimensions.count, type.rawValue, &value)
            try unsafe library.check(status, .badInput, "making a tensor")
            guard unsafe value != nil else { throw ONNXRuntimeError(.badInput, "no tensor was made") }
        } catch {
            unsafe storage.deallocate()
            throw error
        }
        unsafe self.value = value.unsafelyUnwrapped
        unsafe self.storage = storage
    }

    init(owning value: OpaquePointer, library: ONNXLibrary) {
        self.library = library
        unsafe self.value = value
        unsafe storage = nil
    }

    deinit {
        unsafe library.api.ReleaseValue(value)
        unsafe storage?.deallocate()
    }

    var pointer: OpaquePointer { unsafe value }

    /// The size of each dimension; empty for a scalar.
    public func shape() throws(ONNXRuntimeError) -> [Int] { try describe().shape }

    private func describe() throws(ONNXRuntimeError) -> (shape: [Int], type: Int32) {
        var info: OpaquePointer?
        try unsafe library.check(library.api.GetTensorTypeAndShape(value, &info), .runFailed, "reading a tensor's shape")
        defer { unsafe library.api.ReleaseTensorTypeAndShapeInfo(info) }
        var rank = 0
        try unsafe library.check(library.api.GetDimensionsCount(info, &rank), .runFailed, "reading a tensor's rank")
        var dimensions = [Int64](repeating: 0, count: rank)
        try unsafe library.check(library.api.GetDimensions(info, &dimensions, rank), .runFailed, "reading a tensor's shape")
        var type: Int32 = 0
        try unsafe library.check(library.api.GetTensorElementType(info, &type), .runFailed, "reading a tensor's type")
        return (dimensions.map(Int.init), type)
    }

    /// Lends the elements without a copy. Row-major.
    ///
    /// - Throws: ``ONNXRuntimeError`` `.badInput` when the tensor does not hold floats.
    public func withFloats<Result>(_ body: (Span<Float>) throws -> Result) throws -> Result {
        let (shape, type) = try describe()
        guard type == ElementType.float.rawValue else { throw ONNXRuntimeError(.badInput, "the tensor does not hold floats") }
        var data: UnsafeMutableRawPointer?
        try unsafe library.check(library.api.GetTensorMutableData(value, &data), .runFailed, "reading a tensor")
        let count = shape.reduce(1, *)
        defer { extendLifetime(self) }
        guard count > 0, let data = unsafe data else { return try body(Span()) }
        let start = unsafe data.assumingMemoryBound(to: Float.self)
        return try body(unsafe Span(_unsafeStart: start, count: count))
    }

    /// A copy of the elements. Row-major.
    ///
    /// - Throws: ``ONNXRuntimeError`` `.badInput` when the tensor does not hold floats.
    public func floats() throws -> [Float] {
        try withFloats { span in
            unsafe Array(unsafeUninitializedCapacity: span.count) { buffer, count in
                for index in span.indices { unsafe buffer[index] = span[index] }
                count = span.count
            }
        }
    }
}
