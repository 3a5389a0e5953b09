// swift-tools-version: 6.2
import PackageDescription

// A package of its own, release only, so that the main build stays fast.
let package = Package(
    name: "sotto-benchmarks",
    dependencies: [.package(name: "sotto", path: "..")],
    targets: [
        .executableTarget(
            name: "SottoBenchmarks", dependencies: [.product(name: "SottoLanguage", package: "sotto"), .product(name: "SottoVoice", package: "sotto"), .product(name: "SottoSpeech", package: "sotto"), .product(name: "SottoDocuments", package: "sotto")],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")],
            linkerSettings: [.unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../../../../.runtime/lib"])])
    ]
)
