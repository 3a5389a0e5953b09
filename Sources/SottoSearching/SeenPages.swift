/// The pages that a task has already, so that none is read or cited twice under two names.
public struct SeenPages: Sendable {
    /// Why two are one page.
    public enum Likeness: String, Sendable, Codable { case address, canonical, text }

    /// At least so much shared text makes two pages one.
    public static let resemblance = 0.9
    /// Shorter texts say too little about their page, in letters and digits.
    public static let minimumLength = 200

    private struct Page {
        var sketch: TextSketch
        var numbers: Set<Substring>
    }

    private var identities: [String: Int] = [:]
    private var pages: [Int: Page] = [:]

    public init() {}

    /// The page that is at this address, when it is known.
    public func page(at address: String) -> Int? { identities[PageAddress.identity(of: address)] }

    /// Takes a page that was read.
    ///
    /// - Parameters:
    ///   - id: The caller's number for it.
    ///   - addresses: All that led to it: requested, redirected, final; the final one last.
    ///   - canonical: What the page itself calls its address. It is believed within its own site; elsewhere it would let a page hide another.
    ///   - text: What was read.
    /// - Returns: The known page that this one is, and why; `nil` when it is new and now known.
    public mutating func add(_ id: Int, addresses: [String], canonical: String? = nil, text: String) -> (page: Int, because: Likeness)? {
        var names = addresses.map { PageAddress.identity(of: $0) }
        if let final = names.last, let known = identities[final] { return (known, .address) }
        if let canonical, let final = addresses.last, Self.believes(canonical, of: final) {
            let name = PageAddress.identity(of: canonical)
            if let known = identities[name] {
                for other in names { identities[other] = known }
                return (known, .canonical)
            }
            names.append(name)
        }
        let page = Page(sketch: TextSketch(text), numbers: Self.numbers(in: text))
        if page.sketch.length >= Self.minimumLength {
            // Editions and reports differ in little but their numbers.
            let same = pages.sorted { $0.key < $1.key }.first {
                $0.value.sketch.length >= Self.minimumLength && Self.agree($0.value.numbers, page.numbers)
                    && $0.value.sketch.resemblance(to: page.sketch) >= Self.resemblance
            }
            if let same {
                for name in names { identities[name] = same.key }
                return (same.key, .text)
            }
        }
        for name in names where identities[name] == nil { identities[name] = id }
        pages[id] = page
        return nil
    }

    private static func believes(_ canonical: String, of address: String) -> Bool {
        guard PageAddress.absolute(canonical) != nil, site(of: canonical) == site(of: address) else { return false }
        // Sites that are set up wrongly call every page by the name of the first.
        let isFront = PageAddress.identity(of: canonical) == PageAddress.site(of: canonical)
        return isFront == false || PageAddress.identity(of: address) == PageAddress.site(of: address)
    }

    /// Without what names a view for telephones.
    private static func site(of address: String) -> String {
        var labels = PageAddress.site(of: address).split(separator: ".")
        if labels.count > 2 { labels.removeAll { $0 == "m" || $0 == "mobile" || $0 == "amp" } }
        return labels.joined(separator: ".")
    }

    private static func numbers(in text: String) -> Set<Substring> { Set(text.split { ("0"..."9").contains($0) == false }) }

    /// A counter may differ, the figures may not.
    private static func agree(_ left: Set<Substring>, _ right: Set<Substring>) -> Bool {
        let union = left.union(right).count
        return union == 0 || Double(left.intersection(right).count) >= 0.9 * Double(union)
    }
}
