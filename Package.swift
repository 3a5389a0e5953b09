// swift-tools-version: 6.2
import PackageDescription

/// One list of settings for every Swift target of ours: unsafe code is marked by the compiler, and every warning is an error.
let strict: [SwiftSetting] = [
    .strictMemorySafety(), .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Where a linked program finds the shared libraries: beside an installed `bin`, or in a checkout's `.runtime`.
/// Executables and test bundles only; library products carry no unsafe flags.
let runtimePaths: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib", "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../../../.runtime/lib"])
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict,
        linkerSettings: runtimePaths)
}

let package = Package(
    name: "sotto",
    products: [
        .executable(name: "sotto", targets: ["sotto"]),
        .executable(name: "sotto-sherpa-host", targets: ["sotto-sherpa-host"]),
        .library(
            name: "SottoSpeech",
            targets: [
                "SottoMoonshineRecognizer", "SottoWhisperRecognizer", "SottoKokoroSynthesizer", "SottoSileroVoiceActivity", "SottoSmartTurn", "SottoMediaFiles", "SottoSpeechEngines",
                "SottoAudio", "SottoText", "SottoStreams", "SottoComputeBudget",
            ]),
        .library(
            name: "SottoVoice", targets: ["SottoKokoroSynthesizer", "SottoVoices", "SottoSpeakerEncoder", "SottoSpeechEngines", "SottoAudio", "SottoStreams", "SottoComputeBudget"]),
        .library(name: "SottoSpeechService", targets: ["SottoSpeechService", "SottoServiceExchange", "SottoSpeechEngines", "SottoAudio", "SottoStreams", "SottoText"]),
        .library(name: "SottoLanguage", targets: ["SottoLanguageModels", "SottoLanguageService", "SottoServiceExchange", "SottoLlama", "SottoComputeBudget", "SottoMachineLoad"]),
        .library(name: "SottoResearch", targets: ["SottoResearch", "SottoLibrary"]),
        .library(name: "SottoDocuments", targets: ["SottoPages", "SottoDocument", "SottoDocumentReading"]),
        .library(name: "SottoAgents", targets: ["SottoAgents", "SottoJobStore", "SottoSQLiteStore"]),
    ],
    targets: [
        // 1 C: headers and link lines, no logic.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CVectors"),
        .systemLibrary(name: "CONNXRuntime", pkgConfig: "sotto-onnxruntime"),
        .systemLibrary(name: "CLlama", pkgConfig: "sotto-llama"),
        .systemLibrary(name: "CSherpaONNX", pkgConfig: "sotto-sherpa"),
        .systemLibrary(name: "CWhisper", pkgConfig: "sotto-whisper"),
        .systemLibrary(name: "CLexbor", pkgConfig: "sotto-lexbor"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CIDN", pkgConfig: "libidn2"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CZip", pkgConfig: "libzip"),
        .systemLibrary(name: "CSoxr", pkgConfig: "soxr"),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode"),
        .systemLibrary(name: "CPulse"),
        .systemLibrary(name: "CCmark", pkgConfig: "libcmark-gfm"),
        .systemLibrary(name: "CWebsockets", pkgConfig: "libwebsockets"),

        // 2 Values.
        library("SottoObservability"),
        library("SottoStreams"),
        library("SottoAudio", ["CSoxr"]),
        library("SottoText"),
        library("SottoDocument"),

        library("SottoSherpaProtocol"),

        // 3 Protocols.
        library("SottoComputeBudget", ["SottoStreams"]),
        library("SottoSpeechEngines", ["SottoAudio", "SottoStreams"]),
        library("SottoAudioDevices", ["SottoAudio", "SottoStreams"]),
        library("SottoLanguageModels", ["SottoStreams"]),
        library("SottoDocumentReading", ["SottoDocument"]),
        library("SottoPassageIndex", ["SottoDocument"]),
        library("SottoJobStore"),
        library("SottoFetching"),
        library("SottoSecrets"),
        library("SottoSearching"),
        library("SottoServiceExchange", ["SottoStreams"]),
        library("SottoServing", ["SottoStreams"]),

        // 4 Adapters.
        library("SottoMachineLoad", ["SottoComputeBudget"]),
        library("SottoSubprocess", ["CLinux", "SottoStreams"]),
        library("SottoONNXRuntime", ["CONNXRuntime", "SottoComputeBudget", "SottoStreams"]),
        library(
            "SottoSileroVoiceActivity",
            ["SottoONNXRuntime", "SottoSpeechEngines", "SottoAudio", "SottoComputeBudget", "SottoStreams"]),
        library("SottoSmartTurn", ["SottoONNXRuntime", "SottoSpeechEngines", "SottoAudio", "SottoComputeBudget", "SottoStreams"]),
        library("SottoMoonshineRecognizer", ["SottoONNXRuntime", "SottoSpeechEngines", "SottoAudio", "SottoComputeBudget", "SottoStreams"]),
        library("SottoSherpaHost", ["SottoSherpaProtocol", "SottoSubprocess", "SottoSpeechEngines", "SottoAudio", "SottoText", "SottoPhonemes", "SottoComputeBudget", "SottoStreams"]),
        library("SottoSherpaChild", ["CLinux", "CSherpaONNX", "SottoSherpaProtocol"]),
        library("SottoWhisperRecognizer", ["CWhisper", "SottoSpeechEngines", "SottoComputeBudget", "SottoStreams", "SottoObservability"]),
        library("SottoPhonemes", ["SottoSubprocess"]),
        library(
            "SottoKokoroSynthesizer",
            ["SottoONNXRuntime", "SottoPhonemes", "SottoSpeechEngines", "SottoAudio", "SottoText", "SottoComputeBudget", "SottoStreams"]),
        library("SottoPlayback", ["CPulse", "SottoAudio", "SottoSpeechEngines", "SottoStreams"]),
        library("SottoSpeakerEncoder", ["CVectors", "SottoAudio", "SottoSpeechEngines", "SottoStreams"]),
        library("SottoSpeechCache", ["CCrypto", "SottoAudio", "SottoSpeechEngines", "SottoStreams"]),
        library("SottoLlama", ["CLlama", "SottoLanguageModels", "SottoComputeBudget", "SottoStreams", "SottoObservability"]),
        library("SottoMediaFiles", ["SottoSubprocess", "SottoAudio", "SottoSpeechEngines", "SottoStreams"]),
        library("SottoPages", ["CLexbor", "CCmark", "SottoDocument", "SottoDocumentReading", "SottoSubprocess", "SottoStreams"]),
        library("SottoTakes"),
        library("SottoQRCode", ["CQRencode"]),
        library("SottoDesktopNotices", ["SottoSubprocess"]),
        library("SottoArchive", ["CZip", "SottoStreams"]),
        library("SottoPulseAudio", ["CPulse", "SottoAudio", "SottoAudioDevices", "SottoStreams"]),
        library("SottoSecretStore", ["SottoSecrets"]),
        library("SottoInstallationKey", ["CCrypto", "SottoSecrets"]),
        library("SottoSearch", ["SottoFetching", "SottoPages", "SottoSearching", "SottoSecrets"]),
        library("SottoCurl", ["CCurl"]),
        library("SottoWebFetch", ["CCrypto", "CCurl", "CIDN", "SottoCurl", "SottoFetching", "SottoStreams"]),
        library("SottoSQLiteStore", ["CSQLite", "SottoDocument", "SottoFetching", "SottoJobStore", "SottoPassageIndex", "SottoStreams"]),
        library("SottoHTTPServer", ["CCrypto", "CWebsockets", "SottoServing", "SottoStreams"]),
        library("SottoOwnership", ["CLinux", "SottoObservability", "SottoStreams"]),
        library("SottoModelStore", ["CCrypto", "CCurl", "CLinux", "CZip", "SottoCurl", "SottoSubprocess", "SottoObservability", "SottoStreams"]),

        // 5 Features.
        library("SottoLibrary", ["SottoDocument", "SottoDocumentReading", "SottoPassageIndex", "SottoObservability"]),
        library(
            "SottoResearch",
            [
                "SottoDocument", "SottoDocumentReading", "SottoFetching", "SottoPassageIndex", "SottoLanguageModels", "SottoSearching", "SottoText",
                "SottoObservability",
            ]),
        library("SottoAgents", ["SottoJobStore", "SottoObservability", "SottoStreams"]),
        library("SottoSearchCascade", ["SottoSearching"]),
        library("SottoLanguageService", ["SottoLanguageModels", "SottoServiceExchange", "SottoStreams"]),
        library("SottoSpeechService", ["SottoServiceExchange", "SottoAudio", "SottoSpeechEngines", "SottoStreams", "SottoText"]),
        library("SottoVoices", ["SottoAudio", "SottoSecrets", "SottoSpeechEngines", "SottoStreams", "SottoText"]),

        // 6 Surfaces.
        .executableTarget(
            name: "sotto",
            dependencies: [
                "CLinux", "SottoObservability", "SottoStreams", "SottoAudio", "SottoText", "SottoDocument", "SottoComputeBudget", "SottoSpeechEngines",
                "SottoLanguageModels", "SottoDocumentReading", "SottoPassageIndex", "SottoSubprocess", "SottoONNXRuntime",
                "SottoSileroVoiceActivity", "SottoSmartTurn", "SottoMoonshineRecognizer", "SottoWhisperRecognizer", "SottoPhonemes", "SottoKokoroSynthesizer", "SottoMediaFiles", "SottoSpeechCache", "SottoPlayback",
                "SottoLlama", "SottoPages", "SottoSQLiteStore", "SottoModelStore", "SottoLibrary", "SottoResearch", "SottoVoices", "SottoSpeechService",
                "SottoAgents", "SottoJobStore", "SottoOwnership", "SottoMachineLoad", "SottoAudioDevices", "SottoPulseAudio", "SottoTakes",
                "SottoSherpaHost", "SottoFetching", "SottoWebFetch", "SottoSecrets", "SottoSecretStore", "SottoSearching", "SottoSearch", "SottoSearchCascade",
                "SottoSpeakerEncoder", "SottoInstallationKey", "SottoServing", "SottoHTTPServer", "SottoArchive", "SottoDesktopNotices", "SottoLanguageService",
                "SottoQRCode", "SottoServiceExchange",
            ],
            swiftSettings: strict, linkerSettings: runtimePaths),
        .executableTarget(name: "sotto-sherpa-host", dependencies: ["SottoSherpaChild"], swiftSettings: strict, linkerSettings: runtimePaths),

        // Beside.
        .target(
            name: "SottoTestSupport", dependencies: ["SottoAudio", "SottoJobStore", "SottoSpeechEngines", "SottoLanguageModels", "SottoStreams", "SottoSubprocess"],
            path: "Tests/SottoTestSupport", swiftSettings: strict),
        .target(name: "SottoPowerLoss", dependencies: ["CSQLite", "SottoSQLiteStore", "SottoJobStore"], path: "Tests/SottoPowerLoss", swiftSettings: strict),
        .executableTarget(name: "power-loss", dependencies: ["SottoPowerLoss", "SottoSQLiteStore"], path: "Tests/SottoPowerLossRunner", swiftSettings: strict, linkerSettings: runtimePaths),
        tests("SottoPowerLoss", ["CSQLite", "SottoSQLiteStore", "SottoJobStore"]),
        tests("SottoStreams"),
        tests("SottoResearch", ["SottoDocument", "SottoDocumentReading", "SottoFetching", "SottoPassageIndex", "SottoLanguageModels", "SottoObservability", "SottoSearching", "SottoTestSupport"]),
        tests("SottoDocument"),
        tests("SottoSearching"),
        tests("SottoSearch", ["SottoFetching", "SottoPages", "SottoSearching", "SottoSecrets"], exclude: ["Fixtures"]),
        tests("SottoSearchCascade", ["SottoSearching", "SottoTestSupport"]),
        tests("SottoSecretStore", ["SottoSecrets"]),
        tests("SottoPages", ["SottoDocument", "SottoDocumentReading", "SottoTestSupport"], exclude: ["Fixtures"]),
        tests("SottoJobStore", ["SottoTestSupport"]),
        .executableTarget(name: "web-fetch-probe", dependencies: ["SottoFetching", "SottoWebFetch"], path: "Tests/SottoWebFetchProbe", swiftSettings: strict, linkerSettings: runtimePaths),
        tests("SottoWebFetch", ["SottoFetching", "SottoStreams", "SottoSubprocess", "SottoTestSupport", "web-fetch-probe"], exclude: ["Fixtures"]),
        tests("SottoSQLiteStore", ["SottoDocument", "SottoFetching", "SottoJobStore", "SottoPassageIndex", "SottoTestSupport"]),
        tests(
            "SottoLibrary",
            [
                "SottoComputeBudget", "SottoDocument", "SottoDocumentReading", "SottoLanguageModels", "SottoLlama", "SottoMachineLoad",
                "SottoObservability", "SottoPages",
                "SottoPassageIndex", "SottoResearch", "SottoSQLiteStore", "SottoTestSupport", "SottoText",
            ]),
        tests("SottoServing", ["SottoStreams", "SottoTestSupport"]),
        tests("SottoHTTPServer", ["SottoServing", "SottoStreams", "SottoSubprocess", "SottoTestSupport"], exclude: ["Clients"]),
        tests("SottoOwnership", ["SottoObservability", "SottoStreams", "SottoSubprocess"]),
        tests("SottoComputeBudget", ["SottoStreams"]),
        tests("SottoMachineLoad", ["SottoComputeBudget"]),
        tests("SottoSubprocess", ["SottoStreams"]),
        tests("SottoSherpaHost", ["SottoSherpaProtocol", "SottoSherpaChild", "SottoSubprocess", "SottoSpeechEngines", "SottoAudio", "SottoText", "SottoComputeBudget", "SottoStreams", "sotto-sherpa-host"], exclude: ["Fixtures"]),
        tests("SottoPhonemes", ["SottoSubprocess"]),
        tests("SottoLanguageModels", ["SottoStreams", "SottoTestSupport"]),
        tests("SottoLlama", ["SottoMachineLoad", "SottoLanguageModels", "SottoComputeBudget", "SottoStreams", "SottoObservability", "SottoTestSupport"]),
        tests("SottoText"),
        tests("SottoAudio", exclude: ["Fixtures"]),
        tests("SottoSpeechEngines"),
        tests("SottoAudioDevices"),
        tests("SottoTakes", ["SottoAudio"]),
        tests("SottoArchive", ["SottoSubprocess"]),
        tests("SottoQRCode", ["SottoSubprocess"], exclude: ["Clients"]),
        tests("SottoDesktopNotices", ["SottoSubprocess"], exclude: ["Clients"]),
        tests("SottoPulseAudio", ["SottoAudio", "SottoAudioDevices", "SottoStreams", "SottoSubprocess", "SottoTestSupport"]),
        tests("SottoONNXRuntime", ["SottoStreams"]),
        tests("SottoSileroVoiceActivity", ["SottoAudio", "SottoComputeBudget", "SottoSpeechEngines"], exclude: ["Fixtures"]),
        tests("SottoSmartTurn", ["SottoAudio", "SottoComputeBudget", "SottoMediaFiles", "SottoSpeechEngines"]),
        tests("SottoMoonshineRecognizer", ["SottoMachineLoad", "SottoAudio", "SottoComputeBudget", "SottoSileroVoiceActivity", "SottoSpeechEngines", "SottoStreams", "SottoText"]),
        tests("SottoWhisperRecognizer", ["SottoAudio", "SottoObservability", "SottoMachineLoad", "SottoSubprocess", "SottoComputeBudget", "SottoLanguageModels", "SottoLlama", "SottoMoonshineRecognizer", "SottoSileroVoiceActivity", "SottoSpeechEngines", "SottoStreams", "SottoText"]),
        tests("SottoLanguageService", ["SottoHTTPServer", "SottoLanguageModels", "SottoServiceExchange", "SottoServing", "SottoStreams", "SottoSubprocess", "SottoTestSupport"], exclude: ["Clients"]),
        tests("SottoSpeechService", ["SottoServiceExchange", "SottoSubprocess", "SottoAudio", "SottoComputeBudget", "SottoMediaFiles", "SottoMoonshineRecognizer", "SottoSileroVoiceActivity", "SottoSpeechEngines", "SottoStreams", "SottoText"]),
        tests("sotto", ["sotto-sherpa-host", "SottoSubprocess", "SottoText", "SottoTestSupport", "SottoAgents", "SottoJobStore", "SottoOwnership", "SottoObservability", "SottoSQLiteStore", "SottoStreams"], exclude: ["Clients"]),
        tests("SottoKokoroSynthesizer", ["SottoSpeechEngines", "SottoAudio", "SottoPhonemes", "SottoComputeBudget", "SottoStreams"]),
        tests("SottoPlayback", ["SottoAudio", "SottoSpeechEngines", "SottoStreams", "SottoSubprocess", "SottoTestSupport"]),
        tests("SottoSpeakerEncoder", ["SottoAudio", "SottoSpeechEngines"]),
        tests("SottoSpeechCache", ["SottoSpeechEngines", "SottoAudio"]),
        tests("SottoInstallationKey", ["SottoAudio", "SottoSecrets", "SottoVoices"]),
        tests("SottoVoices", ["SottoSpeechEngines", "SottoAudio", "SottoStreams", "SottoText"]),
        tests("SottoMediaFiles", ["SottoSubprocess", "SottoAudio", "SottoSpeechEngines", "SottoStreams"]),
        .executableTarget(
            name: "job-store-probe", dependencies: ["SottoAgents", "SottoJobStore", "SottoObservability", "SottoSQLiteStore"],
            path: "Tests/SottoJobStoreProbe", swiftSettings: strict, linkerSettings: runtimePaths),
        tests("SottoAgents", ["SottoJobStore", "SottoObservability", "SottoSQLiteStore", "SottoSubprocess", "SottoTestSupport", "job-store-probe"], exclude: ["Fixtures"]),
        .executableTarget(
            name: "model-store-probe", dependencies: ["SottoModelStore", "SottoObservability"], path: "Tests/SottoModelStoreProbe",
            swiftSettings: strict, linkerSettings: runtimePaths),
        tests("SottoModelStore", ["SottoObservability", "SottoStreams", "SottoSubprocess", "model-store-probe"], exclude: ["Fixtures"]),
    ]
)
