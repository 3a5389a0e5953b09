import Foundation
import SottoDocument
import SottoDocumentReading
import SottoPages
import Testing

@Suite struct EncodingTests {
    static let corpora = ProcessInfo.processInfo.environment["SOTTO_CORPORA"] ?? ""
    static var hasCorpora: Bool { FileManager.default.fileExists(atPath: corpora + "/web/html5lib-encoding") }

    @Test("the prescan agrees with html5lib's vectors", .enabled(if: hasCorpora, "set SOTTO_CORPORA"))
    func prescan() throws {
        var total = 0
        for name in ["tests1.dat", "test-yahoo-jp.dat"] {
            let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.corpora + "/web/html5lib-encoding/dev/" + name)))
            for test in data.splitting("#data\n") {
                let parts = test.splitting("#encoding\n")
                guard parts.count == 2 else { continue }
                let label = String(decoding: parts[1].prefix { $0 != 10 }, as: UTF8.self)
                var body = parts[0]
                if body.last == 10 { body.removeLast() }
                total += 1
                let found = EncodingSniffer.encoding(of: body, isMarkup: true).encoding
                #expect(EncodingSniffer.prescan(body).map { $0 == CharacterEncoding(label: label) } ?? (label.lowercased() == "windows-1252") || found == CharacterEncoding(label: label), "\(label): \(String(decoding: body.suffix(200), as: UTF8.self))")
            }
        }
        #expect(total > 20)
    }

    @Test("every file of the corpus reads as an independent decoder reads it", .enabled(if: hasCorpora, "set SOTTO_CORPORA"))
    func charsets() throws {
        let table = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/charset-truth.tsv")
        let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.count == 77)
        for row in rows {
            try #require(row.count == 5)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.corpora + "/web/charsets/dev/" + row[0])))
            let (text, encoding, replaced) = EncodingSniffer.decode(bytes, declared: row[1], isMarkup: row[0].hasSuffix("ml"))
            #expect(replaced == 0, "\(row[0]): \(replaced) unreadable as \(encoding.name)")
            #expect(text.unicodeScalars.count == Int(row[3]), "\(row[0]): \(text.unicodeScalars.count) characters as \(encoding.name), \(row[2]) reads \(row[3])")
            #expect(SHA256.hex(of: Array(text.utf8)) == row[4], "\(row[0]) differs from what \(row[2]) reads, as \(encoding.name)")
        }
    }

    @Test("declared and real encodings", arguments: [
        ("<meta charset=latin1><p>caf\u{e9} \u{80}", "caf\u{e9} \u{20AC}"), ("<meta charset=utf-8><p>caf\u{e9}", "caf\u{e9}"),
        ("<meta http-equiv=content-type content='text/html; charset=iso-8859-1'><p>\u{93}q\u{94}", "“q”"),
    ])
    func latin(page: String, text: String) async throws {
        // Every character below U+0100 is one byte here.
        let bytes = page.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(try await PageReader().read(bytes, name: "x.html").plainText == text)
    }

    @Test("sound UTF-8 that declares something else is never decoded twice")
    func mislabeled() async throws {
        let document = try await PageReader().read(Array("<meta charset=gb2312><p>汉字 und Größe".utf8), name: "x.html")
        #expect(document.plainText == "汉字 und Größe")
    }

    @Test("a page that was cut within a character loses no more than it", arguments: [
        ("utf-8", Array("日本".utf8), "日本", 1), ("utf-8", Array("日本".utf8), "日本", 2), ("shift_jis", [0x93, 0xFA, 0x96, 0x7B] as [UInt8], "日本", 1),
        ("gbk", [0xC8, 0xD5, 0xB1, 0xBE], "日本", 1), ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本", 1),
    ])
    func cut(charset: String, unit: [UInt8], text: String, missing: Int) async throws {
        let whole = Array("<html><head><title>x</title></head><body><p>".utf8) + (0..<300).flatMap { _ in unit }
        let document = try await PageReader().readPage(Array(whole.dropLast(missing)), address: "https://example.org/a", charset: charset)
        let expected = String(repeating: text, count: 299) + text.prefix(1)
        #expect(document.plainText.hasPrefix(expected))
        #expect(document.plainText.count <= expected.count + 2)
        #expect(document.notes.isEmpty)
    }

    @Test("a page of which a good part cannot be read is refused, not handed on as question marks")
    func damagedPage() async throws {
        // Of each three letters one lost its second byte.
        let bytes = Array("<html><body><p>".utf8) + (0..<120).flatMap { _ in [0xD1, 0x82, 0xD0, 0x20, 0xD1, 0x83, 0x20] as [UInt8] }
        do {
            let document = try await PageReader().readPage(bytes, address: "https://example.org/a", charset: "utf-8")
            Issue.record("read as \(document.plainText)")
        } catch let error as DocumentReadingError { #expect(error.code == .malformed) }
        // A file is what the user gave; it is read, and said to be damaged.
        #expect(try await PageReader().read(bytes, name: "a.html", charset: "utf-8").notes.count == 1)
    }

    @Test("many unreadable characters are mentioned")
    func replaced() async throws {
        let bytes = Array("<meta charset=utf-8><p>".utf8) + (0..<200).flatMap { _ in Array("grün ".utf8) + [0xFF, 0x20] }
        #expect(try await PageReader().read(bytes, name: "x.html").notes.count == 1)
    }
}

extension [UInt8] {
    func splitting(_ separator: String) -> [[UInt8]] {
        let mark = Array(separator.utf8)
        var parts: [[UInt8]] = []
        var current: [UInt8] = []
        var index = 0
        while index < count {
            if index + mark.count <= count, self[index] == mark[0], self[index..<index + mark.count].elementsEqual(mark) {
                parts.append(current)
                current = []
                index += mark.count
            } else {
                current.append(self[index])
                index += 1
            }
        }
        return parts + [current]
    }
}
