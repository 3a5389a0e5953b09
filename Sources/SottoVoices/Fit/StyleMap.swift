internal import Foundation

/// What a style will sound like, before it is heard: a linear guess at a speaker encoder's direction and at the pitch, learnt from styles that were
/// synthesized at random and towards real speakers.
///
/// Ridge regression of directions on styles, with its precision, so that a search knows which of its guesses are worth little. `standard` belongs to
/// Kokoro-82M int8 with its five voices and the GE2E encoder; `Benchmarks/synthesis/style-map.py` makes it, from speech that it synthesizes itself.
public struct StyleMap: Sendable, Equatable {
    /// Values of a style.
    public let styleWidth: Int
    /// Values of a direction.
    public let directionWidth: Int
    /// The mean of the styles it was learnt from.
    let styleMean: [Double]
    /// The mean of their directions.
    let directionMean: [Double]
    /// Row-major, shape `[styleWidth, directionWidth]`.
    let weights: [Double]
    /// Row-major, shape `[styleWidth, styleWidth]`: the sum of the styles' outer products, and the ridge.
    let precision: [Double]
    /// How far a guess of one value of a direction is off, root mean square.
    let residual: Double
    /// log2 of the pitch in hertz at the mean, and how each value of a style moves it.
    let pitchMean: Double
    let pitchWeights: [Double]
    /// What the styles said, and by how much a sentence moves the direction of whatever voice says it.
    public let sentences: [Sentence]

    /// A sentence that tries are made with.
    public struct Sentence: Sendable, Equatable {
        public var text: String
        /// Taken from the direction of its speech; shape `[directionWidth]`.
        public var bias: [Float]

        /// The direction of its speech without the sentence's own part, of length 1.
        public func corrected(_ direction: [Float]) -> [Float] {
            let moved = zip(direction, bias).map { $0 - $1 }
            let length = moved.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return length > 0 ? moved.map { $0 / length } : moved
        }
    }

    init(
        styleMean: [Double], directionMean: [Double], weights: [Double], precision: [Double], residual: Double, pitchMean: Double, pitchWeights: [Double],
        sentences: [Sentence]
    ) {
        self.sentences = sentences
        styleWidth = styleMean.count
        directionWidth = directionMean.count
        precondition(
            weights.count == styleMean.count * directionMean.count && precision.count == styleMean.count * styleMean.count
                && pitchWeights.count == styleMean.count, "the parts of a map belong together")
        self.styleMean = styleMean
        self.directionMean = directionMean
        self.weights = weights
        self.precision = precision
        self.residual = residual
        self.pitchMean = pitchMean
        self.pitchWeights = pitchWeights
    }

    /// Reads the form that `style-map.py` writes; `nil` when it is damaged.
    ///
    /// Little-endian: UInt32 × 3: style width, direction width, rank; Float32: residual, ridge, pitch mean; style mean, direction mean and pitch weights as Float32;
    /// the number of sentences,
    /// each with the length of its UTF-8, that, and its bias as Float32; then two products of low rank as Int16 with a Float32 scale for each row of `rank`: weights = A Bᵀ, precision = ridge · 1 + C Cᵀ, each factor
    /// transposed: A `[rank, style]`, B `[rank, direction]`, C `[rank, style]`.
    init?(bytes: [UInt8]) {
        var position = 0
        func word() -> UInt32? {
            guard position + 4 <= bytes.count else { return nil }
            defer { position += 4 }
            return (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
        }
        func float() -> Double? {
            guard let value = word().map({ Double(Float(bitPattern: $0)) }), value.isFinite else { return nil }
            return value
        }
        func floats(_ count: Int) -> [Double]? {
            var result: [Double] = []
            for _ in 0..<count {
                guard let value = float() else { return nil }
                result.append(value)
            }
            return result
        }
        func rows(_ count: Int, _ width: Int) -> [[Double]]? {
            var result: [[Double]] = []
            for _ in 0..<count {
                guard let scale = float(), position + width * 2 <= bytes.count else { return nil }
                result.append((0..<width).map { scale * Double(Int16(bitPattern: UInt16(bytes[position + 2 * $0]) | UInt16(bytes[position + 2 * $0 + 1]) << 8)) })
                position += width * 2
            }
            return result
        }
        func sentences(_ width: Int) -> [Sentence]? {
            guard let count = word(), (1...100).contains(count) else { return nil }
            var result: [Sentence] = []
            for _ in 0..<count {
                guard let length = word().map(Int.init), length < 1000, position + length <= bytes.count,
                    let text = String(validating: bytes[position..<(position + length)], as: UTF8.self)
                else { return nil }
                position += length
                guard let bias = floats(width) else { return nil }
                result.append(Sentence(text: text, bias: bias.map(Float.init)))
            }
            return result
        }
        guard let style = word().map(Int.init), let direction = word().map(Int.init), let rank = word().map(Int.init),
            (1...4096).contains(style), (1...4096).contains(direction), (1...4096).contains(rank),
            let residual = float(), let ridge = float(), let pitchMean = float(), residual > 0, ridge > 0,
            let styleMean = floats(style), let directionMean = floats(direction), let pitchWeights = floats(style),
            let sentences = sentences(direction), let a = rows(rank, style), let b = rows(rank, direction), let c = rows(rank, style), position == bytes.count
        else { return nil }
        var weights = [Double](repeating: 0, count: style * direction)
        var precision = [Double](repeating: 0, count: style * style)
        for index in 0..<rank {
            for row in 0..<style {
                for column in 0..<direction { weights[row * direction + column] += a[index][row] * b[index][column] }
                for column in 0..<style { precision[row * style + column] += c[index][row] * c[index][column] }
            }
        }
        for row in 0..<style { precision[row * style + row] += ridge }
        self.init(
            styleMean: styleMean, directionMean: directionMean, weights: weights, precision: precision, residual: residual, pitchMean: pitchMean,
            pitchWeights: pitchWeights, sentences: sentences)
    }

    /// The pitch of a style, in hertz, as far as the map knows.
    public func pitch(of style: [Float]) -> Double {
        exp2(zip(zip(style, styleMean), pitchWeights).reduce(pitchMean) { $0 + (Double($1.0.0) - $1.0.1) * $1.1 })
    }
}
