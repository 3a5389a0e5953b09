import Testing

@testable import SottoSpeakerEncoder

@Suite struct MatrixProductTests {
    @Test("is the sum of products that a plain loop gives", arguments: [8, 16, 24, 40, 256, 400])
    func plain(columns: Int) {
        // Whole numbers, so that no order of adding rounds.
        let matrix = (0..<(3 * columns)).map { Float(($0 * 7) % 11 - 5) }
        let vector = (0..<(columns + 5)).map { Float(($0 * 5) % 13 - 6) }
        var result: [Float] = [1, -2, 3]
        MatrixProduct.add(matrix, columns: columns, times: vector, from: 5, to: &result)
        let expected = (0..<3).map { row in
            (0..<columns).reduce([1, -2, 3][row]) { $0 + matrix[row * columns + $1] * vector[5 + $1] }
        }
        #expect(result == expected)
    }

    @Test("shapes that do not fit are a fault of the program")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var result: [Float] = [0]
            MatrixProduct.add([1, 2, 3], columns: 3, times: [1, 2, 3], from: 0, to: &result)
        }
        await #expect(processExitsWith: .failure) {
            var result: [Float] = [0]
            MatrixProduct.add([Float](repeating: 0, count: 8), columns: 8, times: [Float](repeating: 0, count: 8), from: 1, to: &result)
        }
    }
}
