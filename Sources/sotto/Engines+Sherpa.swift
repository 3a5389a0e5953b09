import Foundation
import SottoModelStore
import SottoSherpaHost
import SottoSileroVoiceActivity
import SottoSpeechEngines

extension Engines {
    /// The models of sherpa-onnx that the user installed.
    var sherpaModels: SherpaModelStore { SherpaModelStore(models: environment["SOTTO_MODELS"] ?? places.models) }

    /// How the program for them is run.
    ///
    /// - Throws: ``SherpaHostError`` when the program or its library is missing.
    func sherpaConfiguration() throws -> SherpaConfiguration {
        let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
        var configuration = try SherpaConfiguration.locate(executable: executable, library: environment["SOTTO_SHERPA"]) {
            FileManager.default.fileExists(atPath: $0)
        }
        configuration.threads = threads
        return configuration
    }

    /// A recognizer that the user installed.
    ///
    /// - Parameter name: `sherpa:NAME`, as `sotto models list` shows it.
    /// - Throws: ``SherpaHostError`` when there is none of that name, or it cannot hear.
    func sherpaRecognizer(_ name: String) async throws -> SherpaRecognizer {
        let model = try sherpaModels.model(name)
        let voiceActivity = try await modelStore().installed(Self.voiceActivityModel)
        let detector = LeveledVoiceActivity(try SileroVoiceActivity(modelPath: voiceActivity.path("silero_vad.onnx"), budget: budget))
        return try SherpaRecognizer(model: model, voiceActivity: detector, budget: budget, configuration: try sherpaConfiguration())
    }
}

extension SherpaModelStore.Entry {
    /// For people; the columns of `sotto models list`.
    var line: String { "\(SherpaModelStore.prefix)\(name)\t\(role)\t\(bytes / 1_000_000) MB\t\t\(state)\t\(kind)" }

    var role: String {
        switch model {
        case .success(let model): model.isSynthesizer ? "synthesizer" : "recognizer"
        case .failure: "unknown"
        }
    }

    var kind: String {
        switch model {
        case .success(let model): model.kind
        case .failure: ""
        }
    }

    var state: String {
        switch model {
        case .success: "installed"
        case .failure(let error): "unusable: \(error.message)"
        }
    }
}

/// What to say to somebody who asks for a model of sherpa-onnx that is in no list: it comes as an archive, of which nobody here has seen the hash.
enum SherpaAdvice {
    static func isMeant(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix(SherpaModelStore.prefix) || name.contains("zipvoice") || name.contains("zipformer")
    }

    static func text(_ name: String) -> String {
        let archive =
            name.lowercased().contains("zipvoice")
            ? "sherpa-onnx-zipvoice-distill-int8-zh-en-emilia.tar.bz2 of its release \"tts-models\", and vocos_24khz.onnx of \"vocoder-models\""
            : "a model of its release \"asr-models\", as sherpa-onnx-streaming-zipformer-en-20M-2023-02-17.tar.bz2"
        return "models of sherpa-onnx are not fetched by Sotto. From https://github.com/k2-fsa/sherpa-onnx/releases get \(archive); "
            + "then unpack it and run: sotto models import FOLDER\(name.lowercased().contains("zipvoice") ? " vocos_24khz.onnx" : "")"
    }
}
