import Foundation

func logarithm(_ value: Float) -> Float { log(value) }
/// 2 to the power of −x.
func halving(_ x: Float) -> Float { exp2(-x) }
func power(_ base: Float, _ exponent: Float) -> Float { pow(base, exponent) }
