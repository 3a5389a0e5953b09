import SottoONNXRuntime
import SottoStreams
import Testing

@Suite struct ONNXValueTests {
    @Test("the library that the runtime folder pins is the one in use")
    func version() throws { #expect(try onnxRuntimeVersion() == "1.32.0") }

    @Test func floatsAndShapes() throws {
        let value = try ONNXValue([1, 2, 3, 4, 5, 6] as [Float], shape: [2, 3])
        #expect(try value.shape() == [2, 3])
        #expect(try value.floats() == [1, 2, 3, 4, 5, 6])
        #expect(try ONNXValue([7] as [Float], shape: []).shape() == [])
        #expect(try ONNXValue([] as [Float], shape: [1, 8, 0, 36]).floats() == [])
    }

    @Test func misuse() throws {
        #expect(#expect(throws: ONNXRuntimeError.self) { try ONNXValue([1, 2] as [Float], shape: [3]) }?.code == .badInput)
        let integers = try ONNXValue([1, 2] as [Int64], shape: [2])
        #expect(#expect(throws: ONNXRuntimeError.self) { try integers.floats() }?.code == .badInput)
    }

    @Test func missingModel() {
        #expect(#expect(throws: ONNXRuntimeError.self) { try ONNXSession(path: "/nowhere.onnx") }?.code == .modelNotLoaded)
    }
}
