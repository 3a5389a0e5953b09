/// A path with named parts: `/agents/:id/steps`, and `/files/*path` for everything below.
public struct RoutePattern: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    enum Part: Sendable, Equatable {
        case literal(String)
        case parameter(String)
        case rest(String)
    }

    public let description: String
    let parts: [Part]

    /// - Parameter text: Begins with a slash; `*name` only at the end.
    public init(stringLiteral text: String) { self.init(text) }

    public init(_ text: String) {
        precondition(text.first == "/", "a route begins with a slash: \(text)")
        description = text
        parts = text.dropFirst().split(separator: "/").map { part in
            switch part.first {
            case ":": .parameter(String(part.dropFirst()))
            case "*": .rest(String(part.dropFirst()))
            default: .literal(String(part))
            }
        }
        precondition(
            parts.dropLast().allSatisfy { if case .rest = $0 { false } else { true } }, "only the last part of a route takes the rest: \(text)")
    }

    /// - Returns: What the named parts are, or `nil` when the path is another.
    func match(_ segments: [String]) -> [String: String]? {
        var values: [String: String] = [:]
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let text): guard index < segments.count, segments[index] == text else { return nil }
            case .parameter(let name):
                guard index < segments.count else { return nil }
                values[name] = segments[index]
            case .rest(let name):
                values[name] = segments[index...].joined(separator: "/")
                return values
            }
        }
        return segments.count == parts.count ? values : nil
    }

    var takesRest: Bool { if case .rest = parts.last { true } else { false } }

    /// Smaller is more particular: `/agents/new` comes before `/agents/:id`, and both before `/*path`.
    var rank: [Int] {
        parts.map { part in
            switch part {
            case .literal: 0
            case .parameter: 1
            case .rest: 2
            }
        }
    }
}
