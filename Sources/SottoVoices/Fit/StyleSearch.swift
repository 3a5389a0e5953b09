internal import Foundation

/// Looks for the style that a speaker encoder finds nearest to a voice.
///
/// A speaker encoder says more about a style than how near it is: it says, in all its values, which way it missed. So, instead of drawing styles and keeping the
/// nearest, this keeps a linear model of what styles sound like, beginning with a ``StyleMap``'s, that learns from each try, and asks for the best style under a
/// draw from what the model may be (Thompson sampling; for linear models: Agrawal and Goyal 2013), not far from the best that was found. Measured here on one speaker,
/// ten tries of it gain what a hundred of ``EvolutionStrategy`` do.
///
/// A value without clock or engine: ask for a style, tell what it sounded like.
public struct StyleSearch: Sendable {
    /// Settings with their defaults.
    public struct Configuration: Sendable, Equatable, Codable {
        /// How much of the model's doubt a draw shows.
        public var boldness = 0.3
        /// How many of the map's own examples one try weighs.
        public var weight = 5.0
        /// The cost of a style's squared length: what is far from all voices sounds like none.
        public var lengthCost = 3e-5
        /// The cost of the squared distance from the best style so far.
        public var distanceCost = 2e-4
        /// The cost of a semitone beyond the first that the pitch is off.
        public var pitchCost = 0.01
        /// How many of the nearest tries ``middle`` is made of.
        public var middleCount = 6

        public init() {}
    }

    /// A style that was tried.
    public struct Trial: Sendable, Equatable, Codable {
        public var style: [Float]
        /// What the encoder said of its speech.
        public var direction: [Float]
        /// Its likeness to the target, less what is wrong with it; higher is better.
        public var score: Double

        public init(style: [Float], direction: [Float], score: Double) {
            self.style = style
            self.direction = direction
            self.score = score
        }

        private enum CodingKeys: String, CodingKey { case style, direction, score }

        /// Numbers are kept as the bytes of their little-endian bits: exact, and a fifth of their digits.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            style = Self.floats(try container.decode(Data.self, forKey: .style))
            direction = Self.floats(try container.decode(Data.self, forKey: .direction))
            score = try container.decode(Double.self, forKey: .score)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Self.bytes(style), forKey: .style)
            try container.encode(Self.bytes(direction), forKey: .direction)
            try container.encode(score, forKey: .score)
        }

        private static func bytes(_ values: [Float]) -> Data {
            Data(values.flatMap { value in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value.bitPattern >> $0) } })
        }

        private static func floats(_ data: Data) -> [Float] {
            let bytes = [UInt8](data)
            return stride(from: 0, to: bytes.count - 3, by: 4).map { at in
                Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) })
            }
        }
    }

    public let configuration: Configuration
    public private(set) var trials: [Trial] = []
    private let map: StyleMap
    /// Of length 1.
    private let target: [Double]
    /// log2 of the pitch that is wanted.
    private let pitch: Double?
    private let start: [Double]
    private var generator: SeededGenerator
    private var precision: [Double]
    /// The precision times the weights.
    private var moments: [Double]

    /// - Parameters:
    ///   - target: The direction of the voice that is looked for.
    ///   - pitch: Its pitch in hertz; `nil` when it is not known.
    ///   - start: Where the search begins: the nearest stock voice.
    ///   - trials: What an earlier search tried already.
    public init(
        map: StyleMap, target: [Float], pitch: Double?, start: [Float], seed: UInt64, trials: [Trial] = [], configuration: Configuration = Configuration()
    ) {
        precondition(target.count == map.directionWidth && start.count == map.styleWidth, "target and start have the map's widths")
        self.map = map
        self.configuration = configuration
        let length = max(1e-9, target.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot())
        self.target = target.map { Double($0) / length }
        self.pitch = pitch.map { log2($0) }
        self.start = start.map(Double.init)
        generator = SeededGenerator(seed: seed &+ UInt64(trials.count) &* 0x1000_0000_01B3)
        precision = map.precision
        moments = Self.product(map.precision, map.weights, rows: map.styleWidth, inner: map.styleWidth, columns: map.directionWidth)
        for trial in trials { tell(trial) }
    }

    /// What the map alone says: the best style without a try.
    public var firstStyle: [Float] {
        climbed(from: start, weights: map.weights, lengthCost: configuration.lengthCost * 2, anchor: nil, steps: 200).map(Float.init)
    }

    /// The try with the highest score.
    public var best: Trial? { trials.max { $0.score < $1.score } }

    /// The mean of the best tries: less of one sentence's luck than ``best``.
    public var middle: [Float]? {
        guard trials.isEmpty == false else { return nil }
        let nearest = trials.sorted { $0.score > $1.score }.prefix(configuration.middleCount)
        return (0..<map.styleWidth).map { index in nearest.reduce(0) { $0 + $1.style[index] } / Float(nearest.count) }
    }

    /// The style to try next.
    public mutating func ask() -> [Float] {
        guard let middle, trials.count >= 1 else { return firstStyle }
        let (style, direction) = (map.styleWidth, map.directionWidth)
        guard let factor = CholeskyFactor(precision, size: style) else { return middle }
        var weights = factor.solve(moments, columns: direction)
        let noise = (0..<(style * direction)).map { _ in gaussian() }
        let drawn = factor.solveTransposed(noise, columns: direction)
        let scale = configuration.boldness * map.residual
        for index in weights.indices { weights[index] += scale * drawn[index] }
        let anchor = (trials.count < 3 ? best?.style ?? middle : middle).map { Double($0) }
        return climbed(from: anchor, weights: weights, lengthCost: configuration.lengthCost / 3, anchor: anchor, steps: 80).map(Float.init)
    }

    /// Takes what a style sounded like.
    public mutating func tell(_ trial: Trial) {
        trials.append(trial)
        let offset = zip(trial.style, map.styleMean).map { Double($0) - $1 }
        let (style, direction) = (map.styleWidth, map.directionWidth)
        let missed = zip(trial.direction, map.directionMean).map { Double($0) - $1 }
        for row in 0..<style {
            let factor = configuration.weight * offset[row]
            guard factor != 0 else { continue }
            for column in 0..<style { precision[row * style + column] += factor * offset[column] }
            for column in 0..<direction { moments[row * direction + column] += factor * missed[column] }
        }
    }

    /// Climbs to where the guessed direction is nearest to the target.
    private func climbed(from start: [Double], weights: [Double], lengthCost: Double, anchor: [Double]?, steps: Int) -> [Double] {
        let (rows, columns) = (map.styleWidth, map.directionWidth)
        var style = start
        for _ in 0..<steps {
            var guess = map.directionMean
            for row in 0..<rows {
                let offset = style[row] - map.styleMean[row]
                for column in 0..<columns { guess[column] += offset * weights[row * columns + column] }
            }
            let length = max(1e-9, guess.reduce(0) { $0 + $1 * $1 }.squareRoot())
            let product = zip(guess, target).reduce(0) { $0 + $1.0 * $1.1 }
            let slope = zip(target, guess).map { $0 / length - product * $1 / (length * length * length) }
            var offPitch = 0.0
            if let pitch {
                let guessed = style.indices.reduce(map.pitchMean) { $0 + (style[$1] - map.styleMean[$1]) * map.pitchWeights[$1] }
                // In octaves; beyond a semitone.
                let miss = guessed - pitch
                offPitch = miss > 1 / 12 ? 1 : miss < -1 / 12 ? -1 : miss * 12
            }
            for row in 0..<rows {
                var gradient = -2 * lengthCost * style[row] - offPitch * 12 * configuration.pitchCost * map.pitchWeights[row]
                for column in 0..<columns { gradient += slope[column] * weights[row * columns + column] }
                if let anchor { gradient -= 2 * configuration.distanceCost * (style[row] - anchor[row]) }
                style[row] += 30 * gradient
            }
        }
        return style
    }

    private static func product(_ left: [Double], _ right: [Double], rows: Int, inner: Int, columns: Int) -> [Double] {
        var result = [Double](repeating: 0, count: rows * columns)
        for row in 0..<rows {
            for index in 0..<inner {
                let factor = left[row * inner + index]
                for column in 0..<columns { result[row * columns + column] += factor * right[index * columns + column] }
            }
        }
        return result
    }

    private mutating func gaussian() -> Double {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
}
