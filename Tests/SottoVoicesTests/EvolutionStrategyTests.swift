import Foundation
import Testing

@testable import SottoVoices

/// Known functions with known minima (Hansen et al., "Real-Parameter Black-Box Optimization Benchmarking 2009", f1, f2, f8).
@Suite struct EvolutionStrategyTests {
    private static func run(_ cost: ([Double]) -> Double, start: [Double], width: Double = 0.5, evaluations: Int, seed: UInt64 = 1) -> EvolutionStrategy {
        var search = EvolutionStrategy(start: start, width: width, seed: seed)
        while search.evaluations < evaluations { search.tell(search.ask().map(cost)) }
        return search
    }

    @Test("finds the middle of a sphere", arguments: [1, 2, 3])
    func sphere(seed: UInt64) throws {
        let search = Self.run({ $0.reduce(0) { $0 + ($1 - 1) * ($1 - 1) } }, start: [Double](repeating: 0, count: 10), evaluations: 3000, seed: seed)
        #expect(try #require(search.best).cost < 1e-10)
        #expect(search.mean.allSatisfy { abs($0 - 1) < 1e-4 })
    }

    /// A NumPy implementation of the same equations is at 4e-14 after 3000 evaluations, with widths of 1200 to 1.
    @Test("learns that directions are worth differently: an ellipsoid of condition a million")
    func ellipsoid() throws {
        let cost = { (point: [Double]) in point.enumerated().reduce(0) { $0 + pow(1e6, Double($1.offset) / 9) * $1.element * $1.element } }
        let search = Self.run(cost, start: [Double](repeating: 1, count: 10), evaluations: 3600)
        #expect(try #require(search.best).cost < 1e-8)
        // The widths that it learnt are those of the ellipsoid: a thousand to one at the ends.
        #expect((search.variances[0] / search.variances[9]).squareRoot() > 100)
    }

    /// The NumPy implementation needs as long: the valley lies along no axis. It is at 5e-9 after 24 000.
    @Test("follows the bent valley of Rosenbrock's function")
    func rosenbrock() throws {
        let cost = { (point: [Double]) in zip(point, point.dropFirst()).reduce(0) { $0 + 100 * pow($1.1 - $1.0 * $1.0, 2) + pow(1 - $1.0, 2) } }
        let search = Self.run(cost, start: [-1, 1], evaluations: 30_000)
        #expect(try #require(search.best).cost < 1e-6)
    }

    @Test("noise does not stop it: it still comes near")
    func noise() {
        var chance = SeededGenerator(seed: 3)
        let search = Self.run(
            { $0.reduce(0) { $0 + $1 * $1 } + Double.random(in: -0.5...0.5, using: &chance) }, start: [Double](repeating: 3, count: 8), width: 1, evaluations: 2000)
        #expect(search.mean.reduce(0) { $0 + $1 * $1 }.squareRoot() < 1)
    }

    @Test("the same seed gives the same search, and one that was written down goes on as if it had not been")
    func resuming() throws {
        let cost = { (point: [Double]) in point.reduce(0) { $0 + abs($1) } }
        var first = Self.run(cost, start: [1, 2, 3], evaluations: 40)
        #expect(Self.run(cost, start: [1, 2, 3], evaluations: 40) == first)
        #expect(Self.run(cost, start: [1, 2, 3], evaluations: 40, seed: 2) != first)
        // In the middle of a round, too.
        let asked = first.ask()
        var second = try JSONDecoder().decode(EvolutionStrategy.self, from: JSONEncoder().encode(first))
        #expect(second.ask() == asked)
        first.tell(asked.map(cost))
        second.tell(asked.map(cost))
        #expect(first == second && first.ask() == second.ask())
    }

    @Test("a cost that is no number is the dearest, and a search that gets nothing else stays where it is finite")
    func broken() {
        var search = EvolutionStrategy(start: [0, 0], width: 1, seed: 1)
        for _ in 0..<20 { search.tell(search.ask().map { $0[0] > 0 ? .nan : -$0[0] }) }
        #expect(search.mean.allSatisfy(\.isFinite) && search.width.isFinite && search.width > 0)
        var blind = EvolutionStrategy(start: [0, 0], width: 1, seed: 1)
        for _ in 0..<50 { blind.tell(blind.ask().map { _ in .nan }) }
        #expect(blind.best == nil && blind.mean.allSatisfy(\.isFinite) && blind.width.isFinite)
    }

    @Test("telling another number of costs than were asked for is a fault of the program")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var search = EvolutionStrategy(start: [0], width: 1, seed: 1)
            search.tell([1])
        }
    }
}
