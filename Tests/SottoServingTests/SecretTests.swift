@testable import SottoServing
import Testing

@Suite struct SecretTests {
    @Test(
        "only the very text matches",
        arguments: [("abc", true), ("abd", false), ("ab", false), ("abcabc", false), ("", false), ("ABC", false), ("abc\0", false)])
    func matches(_ guess: String, _ expected: Bool) { #expect(Secret("abc").matches(guess) == expected) }

    @Test("an empty secret matches nothing", arguments: ["", "a"]) func empty(_ guess: String) { #expect(Secret("").matches(guess) == false) }

    @Test("a secret does not print itself") func printing() {
        let secret = Secret("swordfish")
        #expect("\(secret)".contains("swordfish") == false)
        #expect(String(reflecting: secret).contains("swordfish") == false)
        #expect(String(describing: Mirror(reflecting: secret).children.map { $0 }).contains("115") == false)
    }

    @Test("new secrets hold 256 bits in an alphabet for addresses and cookies") func new() {
        var generator = SystemRandomNumberGenerator()
        let texts = (0..<50).map { _ in Secret.random(using: &generator).text }
        #expect(Set(texts).count == 50)
        #expect(texts.allSatisfy { $0.count == 43 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") } })
    }

    @Test("a code opens one session, once and in time") func codes() throws {
        var generator = SplitMix(seed: 1)
        var sessions = Sessions()
        let code = sessions.makeCode(at: .zero, using: &generator)
        #expect(sessions.redeem("guess", at: .zero, using: &generator) == nil)
        let redeemed = sessions.redeem(code, at: .seconds(119), using: &generator)
        let cookie = try #require(redeemed)
        #expect(sessions.redeem(code, at: .seconds(119), using: &generator) == nil)
        #expect(sessions.isLiving(cookie, at: .seconds(200)))
        #expect(sessions.isLiving(code, at: .seconds(200)) == false)
        #expect(sessions.isLiving(cookie, at: .seconds(31 * 86_400)) == false)
        let late = sessions.makeCode(at: .seconds(300), using: &generator)
        #expect(sessions.redeem(late, at: .seconds(420), using: &generator) == nil)
        sessions.end(cookie)
        #expect(sessions.isLiving(cookie, at: .seconds(200)) == false)
    }

    @Test("the cookie is out of reach for scripts and other sites") func cookie() {
        let field = Sessions.cookie("sotto-1", "value", isSecure: true)
        #expect(field.value == "sotto-1=value; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure")
    }
}
