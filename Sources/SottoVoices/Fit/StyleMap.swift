internal import Foundation

/// What a style will sound like, before it is heard: a linear guess at a speaker encoder's direction and at the pitch, learnt from styles that were
/// synthesized at random and towards real speakers.
///
/// Ridge regression of directions on styles, cut to the few ways in which a style can be heard to change. `standard` belongs to
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
    /// The ways in which a style can be heard to change, the plainest first: orthogonal, of length 1, shape `[rank][styleWidth]`.
    let ways: [[Double]]
    /// How far one step of a climb goes: less where a way is heard more, so that it does not overshoot.
    private let stride: Double
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
        styleMean: [Double], directionMean: [Double], ways: [[Double]], sounds: [[Double]], pitchMean: Double, pitchWeights: [Double], sentences: [Sentence]
    ) {
        precondition(
            ways.count == sounds.count && ways.allSatisfy { $0.count == styleMean.count } && sounds.allSatisfy { $0.count == directionMean.count }
                && pitchWeights.count == styleMean.count, "the parts of a map belong together")
        self.sentences = sentences
        styleWidth = styleMean.count
        directionWidth = directionMean.count
        self.styleMean = styleMean
        self.directionMean = directionMean
        var weights = [Double](repeating: 0, count: styleMean.count * directionMean.count)
        for (way, sound) in zip(ways, sounds) {
            for row in styleMean.indices {
                for column in directionMean.indices { weights[row * directionMean.count + column] += way[row] * sound[column] }
            }
        }
        self.weights = weights
        func power(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
        stride = 0.08 / max(1e-12, zip(ways, sounds).map { power($0) * power($1) }.max() ?? 1)
        self.ways = ways.map { way in
            let length = max(1e-12, way.reduce(0) { $0 + $1 * $1 }.squareRoot())
            return way.map { $0 / length }
        }
        self.pitchMean = pitchMean
        self.pitchWeights = pitchWeights
    }

    /// Reads the form that `style-map.py` writes; `nil` when it is damaged.
    ///
    /// Little-endian: UInt32 × 3: style width, direction width, rank; Float32: pitch mean; style mean, direction mean and pitch weights as Float32;
    /// the number of sentences,
    /// each with the length of its UTF-8, that, and its bias as Float32; then the weights as a product A Bᵀ, each
    /// factor transposed and as Int16 behind a Float32 scale for each row: A `[rank, style]`, its columns orthogonal, and B `[rank, direction]`.
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
            let pitchMean = float(),
            let styleMean = floats(style), let directionMean = floats(direction), let pitchWeights = floats(style),
            let sentences = sentences(direction), let a = rows(rank, style), let b = rows(rank, direction), position == bytes.count
        else { return nil }
        self.init(
            styleMean: styleMean, directionMean: directionMean, ways: a, sounds: b, pitchMean: pitchMean, pitchWeights: pitchWeights, sentences: sentences)
    }

    /// The direction of a style's speech, as far as the map knows; its length is not 1.
    func direction(of style: [Double]) -> [Double] {
        var guess = directionMean
        for row in 0..<styleWidth {
            let offset = style[row] - styleMean[row]
            for column in 0..<directionWidth { guess[column] += offset * weights[row * directionWidth + column] }
        }
        return guess
    }

    /// How near a style is to a direction, as far as the map knows.
    public func likeness(of style: [Float], to target: [Float]) -> Double {
        let guess = direction(of: style.map { Double($0) })
        let lengths = (guess.reduce(0) { $0 + $1 * $1 } * target.reduce(0) { $0 + Double($1) * Double($1) }).squareRoot()
        return zip(guess, target).reduce(0) { $0 + $1.0 * Double($1.1) } / max(1e-12, lengths)
    }

    /// The style that should be nearest to a voice, without a try: climbs from a start.
    ///
    /// - Parameters:
    ///   - target: The voice's direction.
    ///   - pitch: Its pitch in hertz; `nil` when it is not known.
    ///   - start: A stock voice.
    ///   - lengthCost: Of a style's squared length: what is far from all voices sounds like none, and the map knows it least.
    ///   - pitchCost: Of a semitone beyond the first.
    public func nearestStyle(to target: [Float], pitch: Double?, from start: [Float], lengthCost: Double = 5e-5, pitchCost: Double = 0.01) -> [Float] {
        precondition(target.count == directionWidth && start.count == styleWidth, "target and start have the map's widths")
        let scale = max(1e-9, target.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot())
        let target = target.map { Double($0) / scale }
        var style = start.map { Double($0) }
        for _ in 0..<200 {
            let guess = direction(of: style)
            let length = max(1e-9, guess.reduce(0) { $0 + $1 * $1 }.squareRoot())
            let product = zip(guess, target).reduce(0) { $0 + $1.0 * $1.1 }
            let slope = zip(target, guess).map { $0 / length - product * $1 / (length * length * length) }
            var offPitch = 0.0
            if let pitch {
                let guessed = style.indices.reduce(pitchMean) { $0 + (style[$1] - styleMean[$1]) * pitchWeights[$1] }
                // In octaves: full cost beyond a semitone.
                offPitch = max(-1, min(1, (guessed - log2(pitch)) * 12))
            }
            for row in 0..<styleWidth {
                var gradient = -2 * lengthCost * style[row] - offPitch * 12 * pitchCost * pitchWeights[row]
                for column in 0..<directionWidth { gradient += slope[column] * weights[row * directionWidth + column] }
                style[row] += stride * gradient
            }
        }
        return style.map { Float($0) }
    }

    /// A style moved along the ways in which it can be heard to change.
    ///
    /// - Parameter steps: How far along each of the first ways.
    public func style(_ style: [Float], movedBy steps: [Double]) -> [Float] {
        style.indices.map { index in Float(zip(steps, ways).reduce(Double(style[index])) { $0 + $1.0 * $1.1[index] }) }
    }

    /// The pitch of a style, in hertz, as far as the map knows.
    public func pitch(of style: [Float]) -> Double {
        exp2(zip(zip(style, styleMean), pitchWeights).reduce(pitchMean) { $0 + (Double($1.0.0) - $1.0.1) * $1.1 })
    }
}
