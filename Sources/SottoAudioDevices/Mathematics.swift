import Foundation

func logarithm10(_ value: Float) -> Float { log10(value) }
func power2(_ value: Float) -> Float { exp2(value) }
