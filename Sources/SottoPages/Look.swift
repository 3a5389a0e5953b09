/// What style declarations do to the visibility of a text.
struct Look {
    /// One property that can hide, with its weight in the cascade.
    struct Choice {
        var hides: Bool
        var isImportant: Bool
    }

    var display: Choice?
    var visibility: Choice?
    var opacity: Choice?
    /// Hidden by size, place or clipping.
    var isOutOfSight = false
    /// Red, green and blue, one byte each.
    var color: UInt32?
    var background: UInt32?
    /// A picture, a gradient or something unknown lies behind.
    var hasUnknownBackground = false

    var isEmpty: Bool {
        display == nil && visibility == nil && opacity == nil && isOutOfSight == false && color == nil && background == nil && hasUnknownBackground == false
    }

    /// - Parameters:
    ///   - text: Declarations, in lower case.
    ///   - isInline: From a `style` attribute. Style sheets close panels that a reader opens by setting their height to nothing; those stay.
    init(declarations text: String, isInline: Bool) {
        var isTransparent = false, isClippedToText = false
        var zeroSides = 0
        var overflowHides = false
        for declaration in text.utf8.split(separator: UInt8(ascii: ";")) {
            guard let colon = declaration.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = Self.compact(declaration[..<colon])
            var value = Self.compact(declaration[declaration.index(after: colon)...])
            var isImportant = false
            if let mark = value.firstIndex(of: "!") {
                isImportant = value[mark...] == "!important"
                value = String(value[..<mark])
            }
            switch name {
            case "display": display = Choice(hides: value == "none", isImportant: isImportant)
            case "visibility": visibility = Choice(hides: value == "hidden" || value == "collapse", isImportant: isImportant)
            case "content-visibility": if value == "hidden" { isOutOfSight = true }
            case "opacity": if let number = Self.number(value) { opacity = Choice(hides: number <= (value.hasSuffix("%") ? 5 : 0.05), isImportant: isImportant) }
            case "filter": if value.contains("opacity(0") && value.contains("opacity(0.") == false { isOutOfSight = true }
            case "font-size": if let number = Self.number(value), number == 0 || (number < 2 && (value.hasSuffix("px") || value.hasSuffix("pt"))) { isOutOfSight = true }
            case "font": if value.hasPrefix("0/") || value.hasPrefix("0px") { isOutOfSight = true }
            case "text-indent", "left", "top", "right", "bottom", "margin-left", "margin-top", "inset-inline-start":
                if let number = Self.number(value), number <= (value.hasSuffix("em") ? -90 : value.hasSuffix("%") || value.hasSuffix("vw") ? -500 : -900) { isOutOfSight = true }
            case "transform": if value.hasPrefix("scale(0)") || value.contains("translatex(-9999") || value.contains("translate(-9999") { isOutOfSight = true }
            case "clip-path": if value.contains("inset(100%)") || value.contains("inset(50%)") || value.contains("circle(0") { isOutOfSight = true }
            case "clip": if value.hasPrefix("rect(0") || value.hasPrefix("rect(1px,1px,1px,1px") || value.hasPrefix("rect(1px1px1px1px") { isOutOfSight = true }
            case "overflow", "overflow-x", "overflow-y": if value == "hidden" || value == "clip" { overflowHides = true }
            case "height", "max-height", "width", "max-width": if let number = Self.number(value), number <= 1, number == 0 || value.hasSuffix("px") { zeroSides += 1 }
            case "color", "-webkit-text-fill-color":
                if value == "transparent" || value.hasPrefix("rgba("), value == "transparent" || value.hasSuffix(",0)") || value.hasSuffix(",0.0)") { isTransparent = true } else { color = Self.color(value) }
            case "-webkit-background-clip", "background-clip": if value == "text" { isClippedToText = true }
            case "background-image": if value != "none" { hasUnknownBackground = true }
            case "background", "background-color":
                if value.contains("(") && value.hasPrefix("rgb") == false || value.contains("url") { hasUnknownBackground = true } else { background = Self.color(value) }
            default: break
            }
        }
        if isTransparent, isClippedToText == false { isOutOfSight = true }
        if overflowHides, zeroSides >= (isInline ? 1 : 2) { isOutOfSight = true }
        if hasUnknownBackground { background = nil }
    }

    private static func compact(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    }

    private static func number(_ value: String) -> Double? {
        Double(value.prefix { $0.isASCII && ($0.isNumber || $0 == "-" || $0 == ".") })
    }

    /// A few colors by name, and those in numbers. Source: CSS Color Module Level 4.
    static func color(_ value: String) -> UInt32? {
        if value.hasPrefix("#") {
            let digits = value.dropFirst().compactMap(\.hexDigitValue).map(UInt32.init)
            switch digits.count {
            case 3, 4: return digits.prefix(3).reduce(0) { $0 << 8 | $1 * 17 }
            case 6, 8: return digits.prefix(6).reduce(0) { $0 << 4 | $1 }
            default: return nil
            }
        }
        if value.hasPrefix("rgb") {
            let parts = value.drop { $0 != "(" }.dropFirst().split { ",/)".contains($0) }.compactMap { Double($0) }
            guard parts.count >= 3, parts.allSatisfy({ (0...255).contains($0) }) else { return nil }
            return parts.prefix(3).reduce(0) { $0 << 8 | UInt32($1) }
        }
        return named[value]
    }

    private static let named: [String: UInt32] = [
        "white": 0xFFFFFF, "black": 0, "red": 0xFF0000, "green": 0x008000, "blue": 0x0000FF, "yellow": 0xFFFF00, "gray": 0x808080, "grey": 0x808080, "silver": 0xC0C0C0,
        "lightgray": 0xD3D3D3, "lightgrey": 0xD3D3D3, "whitesmoke": 0xF5F5F5, "snow": 0xFFFAFA, "ivory": 0xFFFFF0, "ghostwhite": 0xF8F8FF, "navy": 0x000080,
        "maroon": 0x800000, "purple": 0x800080, "teal": 0x008080, "orange": 0xFFA500, "aqua": 0x00FFFF, "cyan": 0x00FFFF, "fuchsia": 0xFF00FF, "magenta": 0xFF00FF,
        "lime": 0x00FF00, "olive": 0x808000, "beige": 0xF5F5DC, "pink": 0xFFC0CB, "darkgray": 0xA9A9A9, "darkgrey": 0xA9A9A9, "gainsboro": 0xDCDCDC, "floralwhite": 0xFFFAF0,
    ]

    /// Whether nobody can tell the two colors apart: no channel differs by more than 8 of 255.
    static func isSame(_ one: UInt32, _ other: UInt32) -> Bool {
        [16, 8, 0].allSatisfy { shift in abs(Int(one >> shift & 0xFF) - Int(other >> shift & 0xFF)) <= 8 }
    }
}
