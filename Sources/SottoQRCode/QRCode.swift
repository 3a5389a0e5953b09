import CQRencode
import Glibc

/// A QR code (ISO/IEC 18004) as a square of modules.
///
/// ```swift
/// let code = try QRCode("https://192.168.1.5:7781/#code=…")
/// print(code.terminalText(colored: true))
/// ```
public struct QRCode: Sendable, Equatable {
    /// How much of the code may be lost: about 7, 15, 25 and 30 percent.
    public enum Correction: Sendable, CaseIterable { case low, medium, quartile, high }

    /// The light border that readers need, in modules (ISO/IEC 18004, 9.1).
    public static let quietZone = 4

    /// Modules on a side, without the quiet zone: 21 to 177.
    public let size: Int
    /// Whether a module is dark, row by row.
    public let isDark: [Bool]

    /// - Parameters:
    ///   - text: Up to 2 953 bytes of UTF-8 at `.low`, 2 331 at `.medium`, 1 663 at `.quartile`, 1 273 at `.high`.
    ///   - correction: `.medium` is what is usual on screens.
    /// - Throws: ``QRCodeError``.
    public init(_ text: String, correction: Correction = .medium) throws(QRCodeError) {
        let bytes = Array(text.utf8)
        guard bytes.isEmpty == false else { throw QRCodeError(.nothing, "an empty text has no QR code") }
        let level =
            switch correction {
            case .low: QR_ECLEVEL_L
            case .medium: QR_ECLEVEL_M
            case .quartile: QR_ECLEVEL_Q
            case .high: QR_ECLEVEL_H
            }
        guard let code = unsafe QRcode_encodeData(Int32(clamping: bytes.count), bytes, 0, level) else {
            let number = errno
            guard number == ERANGE else { throw QRCodeError(.failed, "the QR code could not be made: \(unsafe String(cString: strerror(number)))") }
            throw QRCodeError(.tooLong, "\(bytes.count) bytes are too many for a QR code; shorten the text")
        }
        defer { unsafe QRcode_free(code) }
        size = unsafe Int(code.pointee.width)
        // The lowest bit of each byte is the color.
        isDark = unsafe UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; those outside are light.
    public func isDark(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && isDark[row * size + column]
    }

    /// The code as an SVG image, black on white with its quiet zone, one unit a module: nothing in it depends on style sheets, and nothing runs.
    ///
    /// - Parameter title: What screen readers say.
    public func svg(title: String = "QR code") -> String {
        let side = size + 2 * Self.quietZone
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard isDark(column: column, row: row) else {
                    column += 1
                    continue
                }
                var end = column
                while isDark(column: end, row: row) { end += 1 }
                path += "M\(column + Self.quietZone) \(row + Self.quietZone)h\(end - column)v1h-\(end - column)z"
                column = end
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" role="img" shape-rendering="crispEdges">\
            <title>\(Self.escaped(title))</title>\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }

    /// The code in half blocks, two rows a line, with its quiet zone; every line ends with a line feed.
    ///
    /// - Parameter colored: With the escape sequences that make it black on white whatever the terminal's colors are. Without them light modules
    ///   are drawn, which
    ///   is right on terminals that write light on dark.
    public func terminalText(colored: Bool) -> String {
        let range = -Self.quietZone..<(size + Self.quietZone)
        var text = ""
        for row in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            if colored { text += "\u{1B}[38;5;231;48;5;16m" }
            for column in range {
                // The line that an odd number of rows leaves over is light too.
                switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
                case (false, false): text += "█"
                case (false, true): text += "▀"
                case (true, false): text += "▄"
                case (true, true): text += " "
                }
            }
            text += colored ? "\u{1B}[0m\n" : "\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
