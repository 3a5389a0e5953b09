/// The lower triangular factor of a symmetric matrix that is positive definite.
struct CholeskyFactor: Sendable {
    let size: Int
    /// Row-major, shape `[size, size]`; zeros above the diagonal.
    private(set) var values: [Double]

    /// - Parameter matrix: Row-major, symmetric; `nil` is the answer for one that is not positive definite.
    init?(_ matrix: [Double], size: Int) {
        precondition(matrix.count == size * size, "the matrix is square")
        self.size = size
        values = matrix
        for column in 0..<size {
            for row in column..<size {
                var sum = values[row * size + column]
                for index in 0..<column { sum -= values[row * size + index] * values[column * size + index] }
                if row == column {
                    guard sum > 0, sum.isFinite else { return nil }
                    values[row * size + row] = sum.squareRoot()
                } else {
                    values[row * size + column] = sum / values[column * size + column]
                }
            }
            for above in (column + 1)..<max(column + 1, size) { values[column * size + above] = 0 }
        }
    }

    /// Solves L Lᵀ X = B for several right sides.
    ///
    /// - Parameter right: Row-major, shape `[size, columns]`.
    func solve(_ right: [Double], columns: Int) -> [Double] {
        var result = right
        for row in 0..<size {
            for index in 0..<row { Self.subtract(values[row * size + index], index, row, columns, &result) }
            Self.scale(1 / values[row * size + row], row, columns, &result)
        }
        return solveTransposed(result, columns: columns)
    }

    /// Solves Lᵀ X = B: turns independent draws into draws with the inverse matrix as covariance.
    func solveTransposed(_ right: [Double], columns: Int) -> [Double] {
        var result = right
        for row in (0..<size).reversed() {
            for index in (row + 1)..<max(row + 1, size) { Self.subtract(values[index * size + row], index, row, columns, &result) }
            Self.scale(1 / values[row * size + row], row, columns, &result)
        }
        return result
    }

    /// Takes a multiple of one row from another.
    private static func subtract(_ factor: Double, _ source: Int, _ target: Int, _ columns: Int, _ rows: inout [Double]) {
        guard factor != 0 else { return }
        for column in 0..<columns { rows[target * columns + column] -= factor * rows[source * columns + column] }
    }

    private static func scale(_ factor: Double, _ row: Int, _ columns: Int, _ rows: inout [Double]) {
        for column in 0..<columns { rows[row * columns + column] *= factor }
    }
}
