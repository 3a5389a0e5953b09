/// The part of a resource that a request asks for (RFC 9110, 14.1.2 and 14.2).
enum ByteRange: Equatable {
    /// No part, or more than one, or a field that cannot be understood: the whole is the right answer to all of these.
    case whole
    /// Within the resource, not empty.
    case part(Range<Int>)
    /// Nothing of the resource lies in what was asked for.
    case unsatisfiable

    /// - Parameters:
    ///   - count: Bytes of the resource.
    ///   - tag: Of the resource as it is now, with the quotation marks.
    static func asked(_ head: RequestHead, count: Int, tag: String?) -> ByteRange {
        // Ranges are defined for GET only (14.2).
        let fields = head.headers.all("Range")
        guard head.method == .get, fields.count == 1 else { return .whole }
        let conditions = head.headers.all("If-Range")
        // The strong comparison (13.1.5): a weak tag and a date never match, and then the whole is sent.
        guard conditions.isEmpty || (conditions.count == 1 && tag?.hasPrefix("\"") == true && conditions[0] == tag) else { return .whole }
        return parse(fields[0], count: count)
    }

    static func parse(_ field: String, count: Int) -> ByteRange {
        let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].lowercased() == "bytes" else { return .whole }
        let specs = halves[1].split(separator: ",").map { HTTPText.trimmed($0) }.filter { $0.isEmpty == false }
        guard specs.count == 1 else { return .whole }
        let ends = specs[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .whole }
        if ends[0].isEmpty {
            guard let suffix = number(ends[1]) else { return .whole }
            if suffix == 0 { return .unsatisfiable }
            return count == 0 ? .whole : .part(count - min(suffix, count)..<count)
        }
        guard let first = number(ends[0]) else { return .whole }
        if ends[1].isEmpty { return first < count ? .part(first..<count) : .unsatisfiable }
        guard let last = number(ends[1]), last >= first else { return .whole }
        return first < count ? .part(first..<(min(last, count - 1) + 1)) : .unsatisfiable
    }

    /// Digits only; what is beyond every file is the largest number.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.isEmpty == false, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }
}
