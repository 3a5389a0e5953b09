/// Sums of products over parts of two arrays: what nearly all of the time goes into.
enum DotProduct {
    /// - Parameter count: A multiple of 8.
    @inline(__always)
    static func of(_ left: [Float], _ leftStart: Int, _ right: [Float], _ rightStart: Int, _ count: Int) -> Float {
        precondition(count.isMultiple(of: 8) && leftStart >= 0 && rightStart >= 0 && leftStart + count <= left.count && rightStart + count <= right.count)
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return 0 }
                let a = unsafe UnsafeRawPointer(left + leftStart)
                let b = unsafe UnsafeRawPointer(right + rightStart)
                // Two sums, so that one addition need not wait for the other.
                var first = SIMD8<Float>.zero
                var second = SIMD8<Float>.zero
                var index = 0
                while index + 16 <= count {
                    first += unsafe a.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self) * b.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self)
                    second += unsafe a.loadUnaligned(fromByteOffset: index * 4 + 32, as: SIMD8<Float>.self) * b.loadUnaligned(fromByteOffset: index * 4 + 32, as: SIMD8<Float>.self)
                    index += 16
                }
                if index < count {
                    first += unsafe a.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self) * b.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self)
                }
                return (first + second).sum()
            }
        }
    }
}
