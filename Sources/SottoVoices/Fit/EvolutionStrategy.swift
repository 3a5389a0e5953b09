internal import Foundation

/// Looks for the point with the lowest cost when nothing is known of the cost but what it is at points that are tried.
///
/// The separable covariance matrix adaptation evolution strategy (sep-CMA-ES): Ros and Hansen 2008, "A Simple Modification in CMA-ES Achieving
/// Linear Time
/// and Space Complexity"; constants after Hansen 2016, "The CMA Evolution Strategy: A Tutorial" (arXiv:1604.00772), those of the covariance times
/// (n + 2) / 3.
///
/// A value without clock or engine: ask for points, tell what they cost. It can be written down at any moment and gone on with.
/// ```swift
/// var search = EvolutionStrategy(start: [3, 3], width: 1, seed: 7)
/// while search.evaluations < 1000 {
///     let points = search.ask()
///     search.tell(points.map { $0[0] * $0[0] + $0[1] * $0[1] })
/// }
/// ```
public struct EvolutionStrategy: Sendable, Equatable, Codable {
    /// The middle of where it looks.
    public private(set) var mean: [Double]
    /// How wide it looks, times the square root of each ``variances``.
    public private(set) var width: Double
    public private(set) var variances: [Double]
    /// Points told so far.
    public private(set) var evaluations = 0
    /// The cheapest point that was told, and its cost.
    public private(set) var best: Trial?
    /// Points in one round.
    public let population: Int

    public struct Trial: Sendable, Equatable, Codable {
        public var point: [Double]
        public var cost: Double
    }

    private var generator: SeededGenerator
    private var path: [Double]
    private var widthPath: [Double]
    private var rounds = 0
    private var asked: [[Double]] = []

    /// - Parameters:
    ///   - start: The first middle, shape `[n]`, not empty.
    ///   - width: How far around it the first points lie, in each direction; above 0.
    ///   - population: Points in a round; 4 + 3 ln n when `nil`, at least 4.
    public init(start: [Double], width: Double, population: Int? = nil, seed: UInt64) {
        precondition(start.isEmpty == false && width > 0, "a search needs a start and a width above zero")
        mean = start
        self.width = width
        variances = [Double](repeating: 1, count: start.count)
        path = [Double](repeating: 0, count: start.count)
        widthPath = path
        self.population = max(4, population ?? 4 + Int(3 * log(Double(start.count))))
        generator = SeededGenerator(seed: seed)
    }

    /// The points of the next round; the same ones until their costs are told.
    public mutating func ask() -> [[Double]] {
        if asked.isEmpty {
            asked = (0..<population).map { _ in mean.indices.map { mean[$0] + width * variances[$0].squareRoot() * gaussian() } }
        }
        return asked
    }

    /// Takes what the points of the last ``ask()`` cost, in their order; what is not finite counts as dearest.
    public mutating func tell(_ costs: [Double]) {
        precondition(asked.count == population && costs.count == population, "as many costs are told as points were asked for")
        let points = asked
        asked = []
        evaluations += population
        rounds += 1
        let order = costs.indices.sorted { (costs[$0].isFinite ? costs[$0] : .infinity, $0) < (costs[$1].isFinite ? costs[$1] : .infinity, $1) }
        if let first = order.first, costs[first].isFinite, costs[first] < (best?.cost ?? .infinity) {
            best = Trial(point: points[first], cost: costs[first])
        }
        let n = Double(mean.count)
        let parents = population / 2
        var weights = (0..<parents).map { log(Double(parents) + 0.5) - log(Double($0 + 1)) }
        let total = weights.reduce(0, +)
        weights = weights.map { $0 / total }
        let effective = 1 / weights.reduce(0) { $0 + $1 * $1 }
        let widthRate = (effective + 2) / (n + effective + 5)
        let damping = 1 + widthRate + 2 * max(0, ((effective - 1) / (n + 1)).squareRoot() - 1)
        let pathRate = (4 + effective / n) / (n + 4 + 2 * effective / n)
        let separable = (n + 2) / 3
        let rankOne = min(1, separable * 2 / ((n + 1.3) * (n + 1.3) + effective))
        let rankMany = min(1 - rankOne, separable * 2 * (effective - 2 + 1 / effective) / ((n + 2) * (n + 2) + effective))
        let expected = n.squareRoot() * (1 - 1 / (4 * n) + 1 / (21 * n * n))

        // Steps of the best points, in widths.
        let steps = order.prefix(parents).map { point in mean.indices.map { (points[point][$0] - mean[$0]) / width } }
        let step = mean.indices.map { index in zip(weights, steps).reduce(0) { $0 + $1.0 * $1.1[index] } }
        for index in mean.indices {
            mean[index] += width * step[index]
            widthPath[index] = (1 - widthRate) * widthPath[index] + (widthRate * (2 - widthRate) * effective).squareRoot() * step[index] / variances[index].squareRoot()
        }
        let length = widthPath.reduce(0) { $0 + $1 * $1 }.squareRoot()
        let isSteady = length / (1 - pow(1 - widthRate, 2 * Double(rounds))).squareRoot() < (1.4 + 2 / (n + 1)) * expected
        for index in mean.indices {
            path[index] = (1 - pathRate) * path[index] + (isSteady ? (pathRate * (2 - pathRate) * effective).squareRoot() * step[index] : 0)
            let old = variances[index]
            let many = zip(weights, steps).reduce(0) { $0 + $1.0 * $1.1[index] * $1.1[index] }
            variances[index] =
                (1 - rankOne - rankMany) * old + rankOne * (path[index] * path[index] + (isSteady ? 0 : pathRate * (2 - pathRate) * old)) + rankMany * many
            variances[index] = max(variances[index], .leastNormalMagnitude)
        }
        width *= exp(min(1, widthRate / damping * (length / expected - 1)))
    }

    /// One draw from the standard normal distribution (Box and Muller 1958).
    private mutating func gaussian() -> Double {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
}
