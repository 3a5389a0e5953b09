internal import Glibc

extension Double {
    /// The natural logarithm.
    static func logarithm(_ value: Double) -> Double { log(value) }
}
