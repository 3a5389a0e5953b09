internal import CVectors

/// A matrix times a vector: what nearly all of the time goes into.
enum MatrixProduct {
    /// Adds the product of a matrix and a part of an array to a result.
    ///
    /// - Parameters:
    ///   - matrix: Row-major, shape `[rows, columns]`; `columns` is a multiple of 8.
    ///   - vector: Its `columns` values from `start` on are taken.
    ///   - result: Shape `[rows]`.
    static func add(_ matrix: [Float], columns: Int, times vector: [Float], from start: Int, to result: inout [Float]) {
        let rows = result.count
        precondition(columns.isMultiple(of: 8) && matrix.count == rows * columns && start >= 0 && start + columns <= vector.count, "the shapes fit")
        unsafe matrix.withUnsafeBufferPointer { matrix in
            unsafe vector.withUnsafeBufferPointer { vector in
                unsafe result.withUnsafeMutableBufferPointer { result in
                    guard let matrix = matrix.baseAddress, let vector = vector.baseAddress, let result = result.baseAddress else { return }
                    unsafe sotto_add_product(matrix, rows, columns, vector + start, result)
                }
            }
        }
    }
}
