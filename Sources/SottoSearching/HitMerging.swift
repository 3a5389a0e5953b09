internal import Foundation

/// Makes one list of several.
public enum HitMerging {
    /// Takes the first of each list, then the second of each, and leaves out copies: the same address, or the same title with the same snippet.
    ///
    /// - Parameters:
    ///   - lists: Each in its provider's order, the most trusted first.
    ///   - limit: The most hits wanted.
    /// - Returns: Hits as their first finder gave them, tracking keys removed; later finders are in `alsoFoundBy`.
    public static func merge(_ lists: [[SearchHit]], limit: Int) -> [SearchHit] {
        var merged: [SearchHit] = []
        var places: [String: Int] = [:]
        var texts: [String: [Int]] = [:]
        var sketches: [TextSketch] = []
        let longest = lists.map(\.count).max() ?? 0
        for row in 0..<longest {
            for list in lists where row < list.count {
                var hit = list[row]
                hit.address = PageAddress.withoutTracking(hit.address)
                let identity = PageAddress.identity(of: hit.address)
                let sketch = TextSketch(hit.snippet)
                let title = hit.title.lowercased()
                let copy = places[identity] ?? texts[title]?.first { isCopy(merged[$0], sketches[$0], of: hit, sketch) }
                if let copy {
                    places[identity] = copy
                    note(hit.provider, in: &merged[copy])
                    continue
                }
                places[identity] = merged.count
                texts[title, default: []].append(merged.count)
                merged.append(hit)
                sketches.append(sketch)
            }
        }
        return Array(merged.prefix(max(0, limit)))
    }

    /// Letters and digits below which a snippet says too little.
    private static let minimumLength = 60

    private static func isCopy(_ known: SearchHit, _ knownSketch: TextSketch, of hit: SearchHit, _ sketch: TextSketch) -> Bool {
        guard sketch.length >= minimumLength, knownSketch.length >= minimumLength, knownSketch.resemblance(to: sketch) >= SeenPages.resemblance else {
            return false
        }
        return numbers(in: known.snippet) == numbers(in: hit.snippet)
    }

    private static func numbers(in text: String) -> [Substring] { text.split { ("0"..."9").contains($0) == false } }

    private static func note(_ provider: ProviderID, in hit: inout SearchHit) {
        guard hit.provider != provider, hit.alsoFoundBy.contains(provider) == false else { return }
        hit.alsoFoundBy.append(provider)
    }
}
