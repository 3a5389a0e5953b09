internal import Foundation

func exponential(_ value: Float) -> Float { exp(value) }
