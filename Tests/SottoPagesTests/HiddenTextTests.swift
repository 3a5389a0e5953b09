import Foundation
import SottoDocument
import SottoPages
import Testing

@Suite struct HiddenTextTests {
    private func read(_ text: String) async throws -> Document { try await PageReader().read(Array(text.utf8), name: "page.html") }
    static let prose = "<p>Opening hours are from nine to five, but for Sundays and the days between the years, when nobody comes.</p>"

    @Test("style rules that hide are followed", arguments: [
        "<style>.q7{display:none}</style><p class=q7>SECRET</p>", "<style>#x9 { visibility : hidden }</style><div id=x9>SECRET</div>", "<style>mark{opacity:0}</style><p>a <mark>SECRET</mark></p>",
        "<style>.o{position:absolute;left:-9999px}</style><p class='b o'>SECRET</p>", "<style>/* .q{} */ p.q,.r{font-size:0}</style><p class=q>SECRET</p><p class=r>SECRET</p>",
        "<style>.z{width:0;height:0;overflow:hidden}</style><div class=z>SECRET</div>", "<style>.c{clip:rect(0,0,0,0);position:absolute}</style><div class=c>SECRET</div>",
        "<style>.box .in{display:none}</style><div class=box><div><p class=in>SECRET</p></div></div>", "<style>.box > .in{display:none!important}</style><div class=box><p class=in style='display:block'>SECRET</p></div>",
        "<style>@media screen{.m{display:none}}</style><p class=m>SECRET</p>", "<style>.W{color:#fff;background:white}</style><p class=w>SECRET</p>", "<style>.Q7{DISPLAY:NONE}</style><p class=q7>SECRET</p>",
        "<p style='color:#ffffff'>SECRET</p>", "<p style='color:white;background-color:#fefefe'>SECRET</p>", "<div style='background:#000'><p style='color:rgb(2,2,2)'>SECRET</p></div>", "<font color=white>SECRET</font>",
        "<style>@media (min-width:10px){.n{display:none}}</style><p class=n>SECRET</p>", "<style>p.x{color:red;;}.h{display:none}</style><p class=h>SECRET</p>",
    ])
    func hidden(markup: String) async throws {
        let document = try await read("<html><head></head><body>\(Self.prose)\(markup)\(Self.prose)</body></html>")
        #expect(document.plainText.contains("SECRET") == false)
        #expect(document.hiddenCharacters >= 6)
    }

    @Test("rules that do not hide, or not here, hide nothing", arguments: [
        "<style>@media print{.p{display:none}}</style><p class=p>SEEN</p>", "<style>.q{display:none}.q{display:block}</style><p class=q>SEEN</p>", "<style>.q{display:none}</style><p class=q style='display:block'>SEEN</p>",
        "<style>.q:hover{display:none}</style><p class=q>SEEN</p>", "<style>.a .q{display:none}</style><p class=q>SEEN</p>", "<style>@media (max-width:600px){.q{display:none}}</style><p class=q>SEEN</p>",
        "<style>@keyframes f{from{opacity:0}to{opacity:1}}</style><p class=from>SEEN</p>", "<div style='background:#000'><p style='color:#fff'>SEEN</p></div>", "<style>p{color:#fff}body{background:#123456}</style><p>SEEN</p>",
        "<style>body{opacity:0}</style><p>SEEN</p>", "<style>.panel{max-height:0;overflow:hidden}</style><div class=panel>SEEN</div>", "<details><summary>More</summary>SEEN</details>",
    ])
    func seen(markup: String) async throws {
        #expect(try await read("<html><head></head><body>\(Self.prose)\(markup)</body></html>").plainText.contains("SEEN"))
    }

    private struct Attack: Decodable {
        var id: String
        var kind: String
        var html: String?
        var mustNot: String
        enum CodingKeys: String, CodingKey { case id, kind, html, mustNot = "must_not" }
    }

    @Test("every hidden attack of the corpus is stripped", .enabled(if: EncodingTests.hasCorpora, "set SOTTO_CORPORA"))
    func attacks() async throws {
        var count = 0
        for line in try String(contentsOfFile: EncodingTests.corpora + "/injection/attacks.jsonl", encoding: .utf8).split(separator: "\n") {
            let attack = try JSONDecoder().decode(Attack.self, from: Data(line.utf8))
            guard attack.kind.hasPrefix("hidden"), let html = attack.html else { continue }
            count += 1
            let clean = try await read("<html><body>\(Self.prose)\(Self.prose)</body></html>").hiddenCharacters
            let document = try await read("<html><body>\(Self.prose)\(html)\(Self.prose)</body></html>")
            // What a reader can open is not hidden.
            let isOpen = attack.kind.contains("details")
            #expect(document.plainText.contains(attack.mustNot) == isOpen, "\(attack.id) \(attack.kind)")
            #expect(document.title.contains(attack.mustNot) == false)
            let isAttribute = ["alt text", "title attribute", "meta", "details"].contains { attack.kind.contains($0) }
            if isAttribute == false, attack.kind.contains("template") == false { #expect(document.hiddenCharacters > clean + 20, "\(attack.id) \(attack.kind) was not counted") }
        }
        #expect(count == 17)
    }
}
