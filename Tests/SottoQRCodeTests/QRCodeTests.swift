import Foundation
import SottoQRCode
import SottoSubprocess
import Testing

@Suite struct QRCodeTests {
    private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clients/read.py").path

    static let hasReader: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = ["python3", client, "probe"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    private static let texts = [
        "https://192.168.1.5:7781/#code=k3JH-7d_x", "1", "0123456789", "größe, 東京, 🎈", "HTTP://EXAMPLE.ORG",
        String(repeating: "abcdefghij", count: 60), "line\nline\ttab \"quoted\" <&>",
    ]

    /// What a reader of other people's finds in a drawing.
    private func read(_ kind: String, _ drawing: String) async throws -> [String] {
        let output = try await Subprocess.run(Subprocess.Request("python3", [Self.client, kind], input: .bytes(Array(drawing.utf8)))).checked()
        return try JSONDecoder().decode([String].self, from: Data(output))
    }

    @Test("zbar reads the SVG image, as librsvg draws it", .enabled(if: hasReader, "needs libzbar0"), arguments: texts)
    func svg(text: String) async throws {
        #expect(try await read("svg", try QRCode(text).svg()) == [text])
    }

    @Test("zbar reads the half blocks, with and without colors", .enabled(if: hasReader, "needs libzbar0"), arguments: texts, [false, true])
    func blocks(text: String, colored: Bool) async throws {
        #expect(try await read("blocks", try QRCode(text).terminalText(colored: colored)) == [text])
    }

    @Test("every level of correction is read", .enabled(if: hasReader, "needs libzbar0"), arguments: QRCode.Correction.allCases)
    func levels(correction: QRCode.Correction) async throws {
        let text = "https://192.168.1.5:7781/#code=k3JH-7d_x"
        #expect(try await read("svg", try QRCode(text, correction: correction).svg()) == [text])
    }

    @Test("a code with a hole is still read at a high level: correction is there", .enabled(if: hasReader, "needs libzbar0"))
    func hole() async throws {
        let text = "https://192.168.1.5:7781/#code=k3JH-7d_x"
        let code = try QRCode(text, correction: .high)
        let hole =
            "<rect x=\"\(QRCode.quietZone + code.size / 2)\" y=\"\(QRCode.quietZone + code.size / 2)\" width=\"4\" height=\"4\" fill=\"#000\"/></svg>"
        #expect(try await read("svg", code.svg().replacingOccurrences(of: "</svg>", with: hole)) == [text])
    }

    @Test("the patterns that every code has are where the standard puts them", arguments: texts)
    func patterns(text: String) throws {
        let code = try QRCode(text)
        #expect(code.isDark.count == code.size * code.size && (code.size - 17) % 4 == 0)
        // Finder patterns (ISO/IEC 18004, 6.3.3): 7 × 7, dark border, light ring, dark 3 × 3.
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            for row in 0..<7 {
                for column in 0..<7 {
                    let ring = max(abs(row - 3), abs(column - 3))
                    #expect(code.isDark(column: left + column, row: top + row) == (ring != 2))
                }
            }
        }
        // Timing pattern (6.3.5), and the module that is always dark (6.9.1).
        for place in 8..<(code.size - 8) { #expect(code.isDark(column: place, row: 6) == (place % 2 == 0)) }
        #expect(code.isDark(column: 8, row: code.size - 8))
        #expect(code.isDark(column: -1, row: 0) == false && code.isDark(column: 0, row: code.size) == false)
    }

    @Test("the image is XML with nothing that runs, is loaded or depends on a style, and a quiet zone of four modules")
    func image() throws {
        let code = try QRCode("x")
        let svg = code.svg(title: "Scan <this> & that")
        let parser = XMLChecker(svg)
        #expect(parser.isWellFormed && parser.elements == ["svg", "title", "rect", "path"])
        #expect(parser.attributes == ["xmlns", "viewBox", "role", "shape-rendering", "width", "height", "fill", "d"])
        #expect(
            svg.contains("viewBox=\"0 0 29 29\"") && svg.contains("<title>Scan &lt;this&gt; &amp; that</title>")
                && svg.contains("currentColor") == false)
        #expect(svg.contains("M4 4h7v1h-7z"))
    }

    @Test(
        "a text that is empty or too long is said", arguments: [(QRCode.Correction.low, 2_953), (.medium, 2_331), (.quartile, 1_663), (.high, 1_273)])
    func limits(correction: QRCode.Correction, most: Int) throws {
        #expect(try QRCode(String(repeating: "a", count: most), correction: correction).size == 177)
        let error = try #require(throws: QRCodeError.self) { try QRCode(String(repeating: "a", count: most + 1), correction: correction) }
        #expect(error.code == .tooLong && error.message.contains("\(most + 1)"))
        #expect(throws: QRCodeError.self) { try QRCode("", correction: correction) }
    }
}

/// The elements and attributes of XML, in order, each once.
private final class XMLChecker {
    private(set) var isWellFormed = false
    private(set) var elements: [String] = []
    private(set) var attributes: Set<String> = []

    init(_ text: String) {
        // Python's parser: Foundation's would be a dependency of its own here.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import json, sys, xml.sax\nclass H(xml.sax.ContentHandler):\n def startElement(self, n, a): print(json.dumps([n] + list(a.getNames())))\nxml.sax.parseString(sys.argv[1].encode(), H())",
            text,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        isWellFormed = process.terminationStatus == 0
        for line in data.split(separator: 0x0A) {
            let names = (try? JSONDecoder().decode([String].self, from: Data(line))) ?? []
            if let name = names.first { elements.append(name) }
            attributes.formUnion(names.dropFirst())
        }
    }
}
