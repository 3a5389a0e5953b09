import Foundation
import SottoSubprocess
import Testing

/// Cloned voices from the command line. The person is a stock voice: what it reads is known, and it consents to everything.
@Suite(.serialized) struct CloningProgramTests {
    private static var hasModels: Bool { Program.hasModels && FileManager.default.fileExists(atPath: Program.models + "/ge2e/pretrained.pt") }
    private static let words = "When bright morning light falls through thin rain, a bow of many colors joins the hills. "
        + "People often watch it for a while, and children ask how far away its end may be."

    @Test("words that are none, names that cannot be, and missing recordings are said before anything is done", .enabled(if: Program.isBuilt))
    func usage() async throws {
        let program = try Program()
        defer { program.remove() }
        for (arguments, status, message) in [
            (["voices", "clone", "anna"], 2, "unknown: voices clone"), (["voices", "ad", "anna"], 2, "did you mean \"add\""), (["voices", "add"], 2, "needs one name"),
            (["voices", "remove", "anna", "--json"], 2, "takes no --json"), (["voices", "remove", "anna"], 1, "there is no voice \"anna\""),
            (["voices", "consent", "an/na"], 1, "cannot be a voice's name"), (["voices", "export", "anna", "--output", "/tmp/x"], 1, "there is no voice"),
            (["voices", "fit", "anna", "--tries", "0"], 2, "--tries is a number"), (["voices", "import", "/no/such/file"], 1, "there is no file"),
        ] as [([String], Int32, String)] {
            let result = try await program.run(arguments)
            #expect(result.status == status, "\(arguments)")
            #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
        }
        let junk = try program.file("junk.sottovoice", Data("SOTTOVC1 and nothing that belongs to it".utf8))
        let result = try await program.run("voices", "import", junk)
        #expect(result.status == 1 && result.errors.contains("not a voice that Sotto exported"))
    }

    @Test("a voice is added with its owner's consent, is not spoken with before it is fitted, and is deleted", .enabled(if: hasModels, "needs the models"))
    func adding() async throws {
        let program = try Program()
        defer { program.remove() }
        let (sample, consent) = (program.home + "/sample.wav", program.home + "/consent.wav")
        #expect(try await program.run("say", Self.words, "--voice", "jm_kumo", "--output", sample).status == 0)
        // Nobody was asked yet.
        let early = try await program.run("voices", "add", "anna", "--sample", sample, "--consent", sample)
        #expect(early.status == 1 && early.errors.contains("sotto voices consent anna"))
        let asked = try await program.run("voices", "consent", "anna")
        #expect(asked.status == 0 && asked.output.contains("the voice anna after mine"))
        // The sample is no consent.
        let without = try await program.run("voices", "add", "anna", "--sample", sample, "--text", Self.words, "--consent", sample, "--no-fit")
        #expect(without.status == 1 && without.errors.contains("number"))
        // A stock voice may say a number so that it is misheard; a person would be asked to read another, as here.
        var sentence = asked.output
        var added = try await program.run("voices", "list")
        for _ in 0..<5 {
            #expect(try await program.run("say", sentence, "--voice", "jm_kumo", "--output", consent).status == 0)
            added = try await program.run("voices", "add", "anna", "--sample", sample, "--text", Self.words, "--consent", consent, "--no-fit")
            guard added.status == 1, added.errors.contains("was heard, not") else { break }
            sentence = try await program.run("voices", "consent", "anna").output
        }
        #expect(added.status == 0, "\(added.errors)")
        let list = try await program.run("voices", "list")
        #expect(list.output.contains("anna\ten\t") && list.output.contains("not fitted yet"))
        let said = try await program.run("say", "Hello.", "--voice", "anna", "--output", program.home + "/hello.wav")
        #expect(said.status == 1 && said.errors.contains("sotto voices fit anna"))
        #expect(FileManager.default.fileExists(atPath: program.home + "/hello.wav") == false)
        #expect(try await program.run("voices", "remove", "anna").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.home + "/.local/share/sotto/voices") == ["consents.json"])
        // The sentence was used.
        let again = try await program.run("voices", "add", "anna", "--sample", sample, "--consent", consent, "--no-fit")
        #expect(again.status == 1 && again.errors.contains("sotto voices consent anna"))
    }
}
