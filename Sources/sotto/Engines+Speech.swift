import SottoSpeechEngines

extension Engines {
    func recognizer() async throws -> any SpeechRecognizer { throw CommandError("not yet") }
    func synthesizer() async throws -> any SpeechSynthesizer { throw CommandError("not yet") }
    func roundTrip(_ sentence: String) async throws -> String { throw CommandError("not yet") }
    func databaseDamage() async throws -> String? { nil }
}

extension Context {
    func hear(_ file: String) async throws -> [Transcript] { throw CommandError("not yet") }
    func speak(_ text: String, to path: String, voice: String?, speed: Double?) async throws -> String { throw CommandError("not yet") }
}
