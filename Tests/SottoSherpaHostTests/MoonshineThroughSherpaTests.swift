import Foundation
import SottoAudio
import SottoComputeBudget
import SottoSherpaProtocol
import SottoSpeechEngines
import SottoStreams
import SottoSubprocess
import SottoText
import Testing

@testable import SottoSherpaHost

private let environment = ProcessInfo.processInfo.environment
private let moonshine: String = {
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return (environment["SOTTO_MODELS"] ?? cache + "/sotto/models") + "/moonshine-tiny-en"
}()
private let speech = environment["SOTTO_CORPORA"].map { $0 + "/speech" }

/// The one recognizer that can be had here in a form that sherpa-onnx reads: real weights, real speech.
@Suite(
    .serialized, .enabled(if: Setting.hasLibrary, "needs .runtime/lib/sherpa"),
    .enabled(if: FileManager.default.fileExists(atPath: moonshine + "/encoder_model.ort"), "needs the model moonshine-tiny-en"))
struct MoonshineThroughSherpaTests {
    /// A folder as sherpa-onnx's archives have it: the networks, and the vocabulary as lines of base64.
    private func folder() throws -> String {
        let folder = Setting.temporaryPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for file in ["encoder_model.ort", "decoder_model_merged.ort"] {
            try FileManager.default.createSymbolicLink(atPath: folder + "/" + file, withDestinationPath: moonshine + "/" + file)
        }
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: moonshine + "/tokenizer.bin")))
        var lines = ""
        var position = 0
        var index = 0
        while position < bytes.count {
            var length = Int(bytes[position])
            position += 1
            if length >= 128 {
                length += Int(bytes[position]) * 128 - 128
                position += 1
            }
            lines += Data(length == 0 ? [0] : bytes[position..<(position + length)]).base64EncodedString() + " \(index)\n"
            position += length
            index += 1
        }
        try Data(lines.utf8).write(to: URL(fileURLWithPath: folder + "/tokens.txt"))
        return folder
    }

    private func model(_ folder: String) throws -> SherpaModelFiles {
        try SherpaModelFiles(folder: folder, names: FileManager.default.contentsOfDirectory(atPath: folder), metadata: ONNXMetadata.read)
    }

    @Test("human speech is heard, utterance by utterance, with its places", .enabled(if: speech != nil, "needs SOTTO_CORPORA"))
    func hears() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let audio = try WAVFile(path: try #require(speech) + "/google-speech/dev/brooklyn_bridge.wav").mono()
        #expect(try model(folder).kind == "Moonshine")
        let recognizer = try Setting.recognizer(try model(folder), Setting.real)
        let rest = Setting.silence(2)
        let twice = AudioBuffer(samples: audio.samples + rest + audio.samples + rest, sampleRate: 16_000)
        let heard = try await recognizer.transcribe(AudioStream(twice)).finals()
        #expect(heard.count == 2)
        for segment in heard {
            let wrong = WordErrorRate(
                reference: ["how", "old", "is", "the", "brooklyn", "bridge"], hypothesis: TranscriptNormalizer.words(segment.text))
            #expect(wrong.errors <= 1, "\(segment.text)")
        }
        #expect(abs((heard.last?.start ?? 0) - audio.seconds - 2) < 1)
    }

    @Test("a parent that dies while the child works takes it along: nothing is answered", .timeLimit(.minutes(5)))
    func orphanAtWork() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let samples = (0..<(30 * 16_000)).map { Float(0.2 * sin(Double($0) * 0.05) * sin(Double($0) * 0.0007)) }
        let requests = [
            try SherpaFrame(.describe, request: 1, json: SherpaGreeting()),
            try SherpaFrame(.load, request: 2, json: SherpaLoad(model: try model(folder).model)),
            SherpaFrame(.begin, request: 3), SherpaFrame(.feed, request: 4, samples: samples), SherpaFrame(.flush, request: 5),
        ]
        let output = try await Subprocess.run(.init(Setting.program, [Setting.library], input: .bytes(try requests.flatMap { try $0.encoded() })))
        #expect(output.status == .exited(0))
        // To hear half a minute takes longer than to notice that nobody is there.
        var reader = SherpaFrameReader()
        reader.append(output.standardOutput)
        while let frame = try reader.next() { #expect(frame.request < 5) }
    }
}
