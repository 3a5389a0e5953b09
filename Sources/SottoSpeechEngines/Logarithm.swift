import Foundation

func logarithm(_ value: Float) -> Float { log(value) }
