internal import SottoSherpaProtocol

/// The files of a model of sherpa-onnx in a folder, recognized by their names and by what the networks say of themselves.
public struct SherpaModelFiles: Sendable, Equatable {
    let model: SherpaModel

    init(_ model: SherpaModel) { self.model = model }

    /// What sort of model it is, for people.
    public var kind: String {
        switch model.family {
        case .streamingTransducer: "streaming transducer"
        case .streamingParaformer: "streaming Paraformer"
        case .streamingCTC: "streaming CTC"
        case .transducer: "transducer"
        case .paraformer: "Paraformer"
        case .senseVoice: "SenseVoice"
        case .nemoCTC: "NeMo CTC"
        case .zipformerCTC: "Zipformer CTC"
        case .whisper: "Whisper"
        case .moonshine: "Moonshine"
        case .zipVoice: "ZipVoice"
        case .kokoro: "Kokoro"
        }
    }

    /// Whether it hears while somebody speaks.
    public var isStreaming: Bool { model.family.isStreaming }
    /// Whether it speaks.
    public var isSynthesizer: Bool { model.family.isSynthesizer }
    /// Paths of the model's files.
    public var paths: [String] { model.files.filter { $0.key != "type" }.values.sorted() }

    /// Finds the model among a folder's files.
    ///
    /// Of several precisions the 8-bit one is taken, except for a transducer's predictor, which is small and loses by it: the choice of
    /// the models' own documentation.
    /// - Parameters:
    ///   - names: Names of the files in it.
    ///   - metadata: What an ONNX file says of itself, by its path; asked only of files that decide.
    /// - Throws: ``SherpaHostError`` `.modelRefused`, which says what is missing.
    public init(folder: String, names: [String], metadata: (String) throws(SherpaHostError) -> [String: String]) throws(SherpaHostError) {
        let files = FolderFiles(folder: folder, names: names)
        guard let tokens = files.one(["tokens.txt"], else: ["-tokens.txt"], suffix: true) else {
            throw SherpaHostError(.modelRefused, "\(folder) has no tokens.txt; it is no model of sherpa-onnx, or was not unpacked whole")
        }
        func model(_ family: SherpaModel.Family, _ found: [String: String?]) -> SherpaModel {
            SherpaModel(family, files: found.compactMapValues { $0 }.merging(["tokens": tokens]) { given, _ in given })
        }
        if let encoder = files.network("encoder"), let vocoder = files.network("vocos") ?? files.network("vocoder"),
            let decoder = files.network("decoder")
        {
            self.init(model(.zipVoice, ["encoder": encoder, "decoder": decoder, "vocoder": vocoder, "lexicon": files.one(["lexicon.txt"])]))
        } else if let encoder = files.network("encoder"), let joiner = files.network("joiner"),
            let decoder = files.network("decoder", prefersSmall: false)
        {
            let said = try metadata(encoder)
            // Only streaming encoders say how long their steps are.
            let isStreaming = said["decode_chunk_len"] != nil || said["window_size"] != nil && said["chunk_shift"] != nil
            let isNeMo = said["model_type"]?.hasPrefix("EncDec") == true || said["pred_rnn_layers"] != nil
            self.init(
                model(
                    isStreaming || isNeMo && said["cache_last_channel_dim1"] != nil ? .streamingTransducer : .transducer,
                    ["encoder": encoder, "decoder": decoder, "joiner": joiner, "type": isNeMo ? "nemo_transducer" : nil]))
        } else if let preprocessor = files.network("preprocess"), let encoder = files.network("encode"),
            let uncached = files.network("uncached_decode"),
            let cached = files.network("cached_decode")
        {
            self.init(model(.moonshine, ["preprocessor": preprocessor, "encoder": encoder, "uncached": uncached, "cached": cached]))
        } else if let encoder = files.network("encoder_model"), let decoder = files.network("decoder_model_merged") {
            self.init(model(.moonshine, ["encoder": encoder, "decoder": decoder]))
        } else if let encoder = files.network("encoder"), let decoder = files.network("decoder") {
            let type = try metadata(encoder)["model_type"] ?? ""
            self.init(model(type.hasPrefix("whisper") ? .whisper : .streamingParaformer, ["encoder": encoder, "decoder": decoder]))
        } else if let network = files.network("model"), let voices = files.one(["voices.bin"]) {
            self.init(model(.kokoro, ["model": network, "voices": voices, "lexicon": files.one(["lexicon-us-en.txt", "lexicon.txt"])]))
        } else if let network = files.network("model") ?? files.onlyNetwork {
            let said = try metadata(network)
            let type = (said["model_type"] ?? "").lowercased()
            let family = Self.family(ofNetworkSaying: said, type: type)
            guard let family else {
                throw SherpaHostError(
                    .modelRefused, "\(network) is a network of a kind that Sotto does not know (\(type.isEmpty ? "it says nothing of itself" : type))"
                )
            }
            self.init(model(family, ["model": network]))
        } else {
            throw SherpaHostError(
                .modelRefused,
                "\(folder) has none of the sets of files that are known: encoder, decoder and joiner; encoder and decoder; one network; "
                    + "encoder, decoder and vocoder"
            )
        }
    }

    /// What a model of one network is, by its properties.
    private static func family(ofNetworkSaying said: [String: String], type: String) -> SherpaModel.Family? {
        if type.contains("sense_voice") || said["lang_auto"] != nil { return .senseVoice }
        if type.contains("paraformer") || said["lfr_window_size"] != nil { return .paraformer }
        if said["decode_chunk_len"] != nil { return .streamingCTC }
        if type.contains("zipformer2") { return .zipformerCTC }
        return type.hasPrefix("encdec") ? .nemoCTC : nil
    }
}

/// The files of a folder by what their names say.
private struct FolderFiles {
    let folder: String
    let names: [String]

    func one(_ exact: [String], else endings: [String] = [], suffix: Bool = false) -> String? {
        let name = exact.first(where: names.contains) ?? (suffix ? names.sorted().first { name in endings.contains { name.hasSuffix($0) } } : nil)
        return name.map { folder + "/" + $0 }
    }

    /// A network whose name is this, or has it as its first or last word: `encoder-epoch-99.int8.onnx`, `tiny.en-encoder.int8.onnx`.
    func network(_ role: String, prefersSmall: Bool = true) -> String? {
        let found = networks.filter { name in
            let stem = name.split(separator: ".").first.map(String.init) ?? name
            // `decoder` is not `decoder_model_merged`, nor `encode` `encoder`.
            return stem == role || stem.hasPrefix(role + "-") || name.contains("-\(role).") || stem == role + "_24khz" || stem == "fm_" + role
                || stem == "text_" + role
        }
        let small = found.filter { $0.contains("int8") }
        let large = found.filter { $0.contains("int8") == false }
        return ((prefersSmall ? small.first ?? large.first : large.first ?? small.first)).map { folder + "/" + $0 }
    }

    var onlyNetwork: String? { networks.count == 1 ? networks.first.map { folder + "/" + $0 } : nil }

    private var networks: [String] { names.filter { $0.hasSuffix(".onnx") || $0.hasSuffix(".ort") }.sorted() }
}
