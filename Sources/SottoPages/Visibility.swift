/// Which parts of a page nobody sees.
struct Visibility {
    /// Node numbers of the outermost hidden elements.
    private(set) var isHidden: [Bool]
    /// Characters inside them, without white space.
    private(set) var characters = 0

    /// - Throws: ``DocumentReadingError`` when the page's style rules cannot be followed within bounds.
    init(of page: HTMLPage) throws {
        isHidden = [Bool](repeating: false, count: page.nodes.count)
        var sheet = StyleSheet(page: page)
        var hasOtherSheets = false
        for node in page.nodes.indices {
            switch page.tag(node) {
            case .style:
                if let media = page.value(node, .media)?.lowercased(), media.contains("print") { continue }
                for child in page.children(node) { try sheet.add(Array(page.bytes[page.textRange(child)])) }
            case .link: if page.value(node, .rel)?.lowercased().contains("stylesheet") == true { hasOtherSheets = true }
            default: break
            }
        }
        // Where no style sheet is left out, the page is black on white until it says otherwise.
        var painted = [(end: Int, color: UInt32?, background: UInt32?)]()
        painted.append((page.nodes.count, hasOtherSheets ? nil : 0, hasOtherSheets ? nil : 0xFFFFFF))
        var node = 1
        while node < page.nodes.count {
            while let last = painted.last, last.end <= node, painted.count > 1 { painted.removeLast() }
            let tag = page.tag(node)
            guard tag != .text, tag != .html, tag != .head, tag.isNeverText == false || tag == .noscript || tag == .template else {
                node = tag.isNeverText && tag != .head ? page.end(node) : node + 1
                continue
            }
            // Some pages put all they have into a noscript.
            var hides = (tag == .noscript && Self.holdsMost(node, of: page) == false) || tag == .template || Self.saysHidden(node, page)
            let own = page.range(node, .style).map { Look(declarations: String(decoding: page.bytes[$0], as: UTF8.self).lowercased(), isInline: true) }
            var look = own
            if sheet.isEmpty == false { look = try sheet.look(of: node, in: page, own: own) }
            if tag == .font || tag == .body || tag == .td || tag == .tr || tag == .table {
                let color = page.value(node, .color).flatMap { Look.color($0.lowercased()) }
                let background = page.value(node, .bgcolor).flatMap { Look.color($0.lowercased()) }
                if color != nil || background != nil {
                    var next = look ?? Look(declarations: "", isInline: true)
                    next.color = next.color ?? color
                    next.background = next.background ?? background
                    look = next
                }
            }
            if let look, hides == false {
                // Pages hide their whole body until a script shows it.
                let isOwn = own?.display?.hides == true || own?.visibility?.hides == true || own?.opacity?.hides == true || own?.isOutOfSight == true
                if tag != .body {
                    let byRule = look.display?.hides == true || look.visibility?.hides == true || look.opacity?.hides == true || look.isOutOfSight
                    hides = byRule && (isOwn || Self.holdsMost(node, of: page) == false)
                }
                if look.color != nil || look.background != nil || look.hasUnknownBackground, let around = painted.last {
                    let color = look.color ?? around.color
                    let background = look.background ?? (look.hasUnknownBackground ? nil : around.background)
                    // A background alone may be there for texts further down that set their own color.
                    let isFinal = look.color != nil || (painted.count > 1 && Self.setsNoStyle(below: node, in: page))
                    if hides == false, tag != .body, isFinal, let color, let background, Look.isSame(color, background) { hides = true }
                    painted.append((page.end(node), color, background))
                }
            }
            guard hides else {
                node += 1
                continue
            }
            isHidden[node] = true
            characters += page.length(node)
            node = page.end(node)
        }
    }

    private static func setsNoStyle(below node: Int, in page: HTMLPage) -> Bool {
        page.end(node) - node < 64 && (node + 1..<max(node + 1, page.end(node))).allSatisfy { page.tag($0) == .text || (page.range($0, .style) == nil && page.range($0, .classes) == nil) }
    }

    /// A style rule over nearly the whole page is there for a script to lift.
    private static func holdsMost(_ node: Int, of page: HTMLPage) -> Bool {
        (page.end(node) - node) * 10 > page.nodes.count * 9 && page.length(node) * 10 > page.length(0) * 8
    }

    /// Whether class names hold "hid", "sr-", "scr" or "d-n" in any case: most hold none.
    private static func mayHide(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        let end = bytes.endIndex - 2
        while index < end {
            switch (bytes[index] | 0x20, bytes[index + 1] | 0x20, bytes[index + 2] | 0x20) {
            case (0x68, 0x69, 0x64), (0x73, 0x72, 0x2D), (0x73, 0x63, 0x72), (0x64, 0x2D, 0x6E): return true
            default: index += 1
            }
        }
        return false
    }

    private static func saysHidden(_ node: Int, _ page: HTMLPage) -> Bool {
        guard page.nodes[node].count > 0 else { return false }
        if let value = page.value(node, .hidden), value != "until-found" { return true }
        if let value = page.value(node, .ariaHidden), value.lowercased() == "true" { return true }
        guard let classes = page.range(node, .classes), classes.count >= 6, mayHide(page.bytes[classes]) else { return false }
        let names = String(decoding: page.bytes[classes], as: UTF8.self).lowercased().split(whereSeparator: \.isWhitespace)
        if names.contains("d-none"), names.contains(where: { $0.hasPrefix("d-") && $0 != "d-none" && $0.hasPrefix("d-print") == false }) == false { return true }
        return names.contains { ["sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "hidden"].contains($0) }
    }
}
