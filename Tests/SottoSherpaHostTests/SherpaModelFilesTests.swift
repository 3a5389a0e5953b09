import Foundation
import SottoSherpaProtocol
import Testing

@testable import SottoSherpaHost

@Suite struct SherpaModelFilesTests {
    /// Lists of files as the published archives have them.
    @Test(
        "models are known by their files and by what their networks say",
        arguments: [
            (
                [
                    "encoder-epoch-99-avg-1.int8.onnx", "encoder-epoch-99-avg-1.onnx", "decoder-epoch-99-avg-1.int8.onnx",
                    "decoder-epoch-99-avg-1.onnx",
                    "joiner-epoch-99-avg-1.int8.onnx", "joiner-epoch-99-avg-1.onnx", "tokens.txt", "bpe.model", "README.md",
                ],
                ["decode_chunk_len": "32", "T": "45", "model_type": "zipformer2"], SherpaModel.Family.streamingTransducer,
                [
                    "encoder": "encoder-epoch-99-avg-1.int8.onnx", "decoder": "decoder-epoch-99-avg-1.onnx",
                    "joiner": "joiner-epoch-99-avg-1.int8.onnx", "tokens": "tokens.txt",
                ]
            ),
            (
                ["encoder-epoch-12-avg-4.onnx", "decoder-epoch-12-avg-4.onnx", "joiner-epoch-12-avg-4.onnx", "tokens.txt"],
                ["model_type": "zipformer2"], .transducer,
                [
                    "encoder": "encoder-epoch-12-avg-4.onnx", "decoder": "decoder-epoch-12-avg-4.onnx", "joiner": "joiner-epoch-12-avg-4.onnx",
                    "tokens": "tokens.txt",
                ]
            ),
            (
                ["encoder.int8.onnx", "decoder.int8.onnx", "joiner.int8.onnx", "tokens.txt"],
                ["model_type": "EncDecRNNTBPEModel", "pred_rnn_layers": "2"], .transducer,
                [
                    "encoder": "encoder.int8.onnx", "decoder": "decoder.int8.onnx", "joiner": "joiner.int8.onnx", "tokens": "tokens.txt",
                    "type": "nemo_transducer",
                ]
            ),
            (
                ["encoder.int8.onnx", "encoder.onnx", "decoder.int8.onnx", "decoder.onnx", "tokens.txt"], ["model_type": "paraformer"],
                .streamingParaformer,
                ["encoder": "encoder.int8.onnx", "decoder": "decoder.int8.onnx", "tokens": "tokens.txt"]
            ),
            (
                ["tiny.en-encoder.onnx", "tiny.en-encoder.int8.onnx", "tiny.en-decoder.onnx", "tiny.en-decoder.int8.onnx", "tiny.en-tokens.txt"],
                ["model_type": "whisper-tiny.en"], .whisper,
                ["encoder": "tiny.en-encoder.int8.onnx", "decoder": "tiny.en-decoder.int8.onnx", "tokens": "tiny.en-tokens.txt"]
            ),
            (
                ["preprocess.onnx", "encode.int8.onnx", "uncached_decode.int8.onnx", "cached_decode.int8.onnx", "tokens.txt"], [:], .moonshine,
                [
                    "preprocessor": "preprocess.onnx", "encoder": "encode.int8.onnx", "uncached": "uncached_decode.int8.onnx",
                    "cached": "cached_decode.int8.onnx", "tokens": "tokens.txt",
                ]
            ),
            (
                ["encoder_model.ort", "decoder_model_merged.ort", "tokens.txt"], [:], .moonshine,
                ["encoder": "encoder_model.ort", "decoder": "decoder_model_merged.ort", "tokens": "tokens.txt"]
            ),
            (
                ["model.int8.onnx", "model.onnx", "tokens.txt"], ["model_type": "sense_voice_ctc", "lang_auto": "0"], .senseVoice,
                ["model": "model.int8.onnx", "tokens": "tokens.txt"]
            ),
            (
                ["model.int8.onnx", "tokens.txt", "am.mvn"], ["lfr_window_size": "7"], .paraformer,
                ["model": "model.int8.onnx", "tokens": "tokens.txt"]
            ),
            (["model.onnx", "tokens.txt"], ["model_type": "EncDecCTCModelBPE"], .nemoCTC, ["model": "model.onnx", "tokens": "tokens.txt"]),
            (
                ["ctc-epoch-20-avg-1-chunk-16-left-128.int8.onnx", "tokens.txt"], ["model_type": "zipformer2", "decode_chunk_len": "32"],
                .streamingCTC,
                ["model": "ctc-epoch-20-avg-1-chunk-16-left-128.int8.onnx", "tokens": "tokens.txt"]
            ),
            (
                ["encoder.int8.onnx", "decoder.int8.onnx", "vocos_24khz.onnx", "lexicon.txt", "tokens.txt"], [:], .zipVoice,
                [
                    "encoder": "encoder.int8.onnx", "decoder": "decoder.int8.onnx", "vocoder": "vocos_24khz.onnx", "lexicon": "lexicon.txt",
                    "tokens": "tokens.txt",
                ]
            ),
            (
                ["model.int8.onnx", "voices.bin", "tokens.txt"], [:], .kokoro,
                ["model": "model.int8.onnx", "voices": "voices.bin", "tokens": "tokens.txt"]
            ),
        ])
    func families(names: [String], metadata: [String: String], family: SherpaModel.Family, files: [String: String]) throws {
        let found = try SherpaModelFiles(folder: "/m", names: names) { _ throws(SherpaHostError) in metadata }
        #expect(found.model.family == family)
        #expect(found.model.files == Dictionary(uniqueKeysWithValues: files.map { ($0, $0 == "type" ? $1 : "/m/" + $1) }))
    }

    @Test(
        "what is no model says what is missing",
        arguments: [
            (["a.txt"], "tokens.txt"), (["tokens.txt"], "known"), (["tokens.txt", "encoder.onnx", "joiner.onnx"], "known"),
            (["tokens.txt", "model.onnx"], "kind"), ([], "tokens.txt"),
        ])
    func unknown(names: [String], mentions: String) {
        let error = #expect(throws: SherpaHostError.self) { try SherpaModelFiles(folder: "/m", names: names) { _ throws(SherpaHostError) in [:] } }
        #expect(error?.code == .modelRefused)
        #expect(error?.message.contains(mentions) == true, "\(error?.message ?? "")")
    }

    @Test("an ONNX file's properties are read beside its network")
    func metadata() throws {
        #expect(try ONNXMetadata.read(Setting.fixtures + "/tones/encoder.onnx")["decode_chunk_len"] == "8")
        #expect(try ONNXMetadata.read(Setting.fixtures + "/speaker/decoder.onnx")["sample_rate"] == "24000")
        #expect(try Setting.model("tones").isStreaming)
        #expect(try Setting.model("speaker").kind == "ZipVoice")
    }

    @Test("files that are no ONNX files, or were cut short, are refused")
    func damaged() throws {
        let path = Setting.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let whole = try #require(FileManager.default.contents(atPath: Setting.fixtures + "/tones/encoder.onnx"))
        for bytes in [
            Data(), Data("<html>Not found</html>".utf8), whole.prefix(200), Data(repeating: 0xFF, count: 64), Data(repeating: 0, count: 64),
        ] {
            try bytes.write(to: URL(fileURLWithPath: path))
            #expect(throws: SherpaHostError.self, "\(bytes.count) bytes") { try ONNXMetadata.read(path) }
        }
        #expect(throws: SherpaHostError.self) { try ONNXMetadata.read(path + ".none") }
    }

    @Test("a folder is taken into the store whole or not at all, listed, used and removed")
    func store() throws {
        let root = Setting.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let store = SherpaModelStore(models: root + "/models")
        #expect(store.list().isEmpty)
        let entry = try store.import(Setting.fixtures + "/tones")
        #expect(entry.name == "tones")
        #expect(try store.model("sherpa:tones").paths.allSatisfy { $0.hasPrefix(root) })
        #expect(store.list().map(\.name) == ["tones"])
        #expect(throws: SherpaHostError.self) { try store.import(Setting.fixtures + "/tones") }
        // A vocoder that comes by itself.
        let parts = root + "/parts/voice"
        try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
        for file in ["encoder.onnx", "decoder.onnx", "tokens.txt", "lexicon.txt"] {
            try FileManager.default.copyItem(atPath: Setting.fixtures + "/speaker/" + file, toPath: parts + "/" + file)
        }
        #expect(try store.import(parts, extras: [Setting.fixtures + "/speaker/vocos.onnx"]).model.get().isSynthesizer)
        let empty = root + "/empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        #expect(throws: SherpaHostError.self) { try store.import(empty) }
        #expect(throws: SherpaHostError.self) { try store.import(root + "/nowhere") }
        #expect(throws: SherpaHostError.self) { try store.model("../tones") }
        let error = #expect(throws: SherpaHostError.self) { try store.model("other") }
        #expect(error?.message.contains("sherpa:tones") == true)
        #expect(try store.remove("sherpa:tones") > 0)
        #expect(store.list().map(\.name) == ["voice"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/models/sherpa") == ["voice"])
    }
}
