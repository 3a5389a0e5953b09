import Foundation
import Testing

@testable import sotto

@Suite struct ArgumentsTests {
    private let spec = ArgumentSpec("usage", ["json": .flag, "mode": .value("a mode"), "library": .repeated("a folder")])

    @Test("flags, values in both forms, repeats and what stands alone")
    func forms() throws {
        let arguments = try Arguments(["what", "--json", "--mode=deep", "--library", "a", "is", "--library", "b", "--", "--it"], spec: spec)
        #expect(arguments.positional == ["what", "is", "--it"])
        #expect(arguments.has("json"))
        #expect(arguments.value("mode") == "deep")
        #expect(arguments.values["library"] == ["a", "b"])
    }

    @Test("a lone dash is a name, for standard input")
    func dash() throws {
        #expect(try Arguments(["-"], spec: spec).positional == ["-"])
    }

    @Test("an unknown option names the nearest known one")
    func unknown() {
        let error = #expect(throws: UsageError.self) { try Arguments(["--jsn"], spec: spec) }
        #expect(error?.message == "unknown option --jsn; did you mean --json?")
    }

    @Test("a missing value, a value too many and a value given twice are wrong", arguments: [["--mode"], ["--json=1"], ["--mode", "a", "--mode", "b"]])
    func wrong(words: [String]) {
        #expect(throws: UsageError.self) { try Arguments(words, spec: spec) }
    }
}

@Suite struct SettingsTests {
    @Test("what is wrong with one key costs that key only")
    func warnings() {
        let (settings, warnings) = Settings.parse(Data(#"{"threads": 2, "sped": 1.5, "speed": 9, "voice": "jf_alpha"}"#.utf8))
        #expect(settings.threads == 2)
        #expect(settings.voice == "jf_alpha")
        #expect(settings.speed == 1)
        #expect(warnings.count == 2)
        #expect(warnings.contains { $0.contains("unknown setting \"sped\"; did you mean \"speed\"?") })
    }

    @Test("a broken file gives the defaults and one warning", arguments: ["", "[1]", "{"])
    func broken(text: String) {
        let (settings, warnings) = Settings.parse(Data(text.utf8))
        #expect(settings == Settings())
        #expect(warnings.count == 1)
    }

    @Test("what is written is read back")
    func roundTrip() throws {
        var settings = Settings()
        try settings.set("speed", to: "1.25")
        try settings.set("language", to: "de")
        #expect(Settings.parse(try settings.encoded()).settings == settings)
    }
}

@Suite struct PlacesTests {
    @Test("XDG folders win, relative ones are ignored, home is the fall-back")
    func folders() throws {
        let places = try Places(environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "cache"])
        #expect(places.data == "/data/sotto")
        #expect(places.cache == "/home/ada/.cache/sotto")
        #expect(places.configuration == "/home/ada/.config/sotto")
    }

    @Test("no home and no folders is an error that says what to set")
    func homeless() {
        #expect(throws: CommandError.self) { try Places(environment: [:]) }
    }
}
