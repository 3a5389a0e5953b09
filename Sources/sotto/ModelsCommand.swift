import Foundation
import SottoFetching
import SottoModelStore
import SottoSherpaHost

extension Command {
    private static let modelsSpec = ArgumentSpec(
        """
        usage: sotto models list [--json]
               sotto models pull [ID|SET]…        default: the set "default"; continues where it stopped
               sotto models verify [ID|SET]…      hashes every file again
               sotto models import ID FILE|DIR    takes a model from the disk
               sotto models import DIR [FILE…]    takes a model of sherpa-onnx, as its archive unpacks; files that came apart behind it
               sotto models remove ID…

          --set NAME   the same as naming the set
        """,
        ["json": .flag, "set": .value("a set's name")])

    static let models = Command(
        name: "models", summary: "get, check, import and remove models", spec: modelsSpec,
        run: { arguments, context in
            let usage = modelsSpec.usage
            let store = try context.engines.modelStore()
            let rest = Array(arguments.positional.dropFirst()) + (arguments.value("set").map { [$0] } ?? [])
            let show: PullProgressHandler = { context.console.show($0.asProgress) }
            switch arguments.positional.first {
            case "list":
                let rows = try await store.list()
                let installed = context.engines.sherpaModels.list()
                if arguments.has("json") {
                    try context.printJSON(ModelListing(rows, installed))
                } else {
                    context.console.result(([table(rows)] + installed.map(\.line)).joined(separator: "\n"))
                }
            case "pull":
                if Settings.networkPermission(at: context.places.settings).isOffline {
                    throw CommandError(
                        "Sotto is offline, so no model is fetched; take it from the disk with \"sotto models import\", or: sotto settings set offline off"
                    )
                }
                if let name = rest.first(where: SherpaAdvice.isMeant) { throw CommandError(SherpaAdvice.text(name)) }
                let report = try await store.pull(rest.isEmpty ? ["default"] : rest, progress: show)
                for id in report.alreadyThere { context.console.note("\(id) is already there") }
                for id in report.installed { context.console.note("\(id) is installed and verified") }
            case "verify":
                let rows = try await store.verify(rest, progress: show)
                context.console.result(rows.isEmpty ? "no model is installed" : table(rows))
                let bad = rows.filter { $0.state != .installed }.map(\.id)
                guard bad.isEmpty else {
                    throw CommandError("not whole: \(bad.joined(separator: ", ")). Run: sotto models pull \(bad.joined(separator: " "))")
                }
            case "import":
                guard let first = rest.first else { throw UsageError("import takes an id and a file or folder, or a folder", usage: usage) }
                if await store.manifest.models.contains(where: { $0.id == first }) == false {
                    let entry = try context.engines.sherpaModels.import(
                        try context.existing(first), extras: try rest.dropFirst().map(context.existing))
                    context.console.note("\(SherpaModelStore.prefix)\(entry.name) is installed: \(try entry.model.get().kind)")
                    return
                }
                guard rest.count == 2 else { throw UsageError("import takes an id and a file or folder", usage: usage) }
                let report = try await store.import(rest[0], from: try context.existing(rest[1]), progress: show)
                context.console.note(
                    report.missing.isEmpty
                        ? "\(rest[0]) is installed and verified" : "\(rest[0]) still needs: \(report.missing.joined(separator: ", "))")
            case "remove":
                guard rest.isEmpty == false else { throw UsageError("an id is needed", usage: usage) }
                for id in rest {
                    let bytes = id.hasPrefix(SherpaModelStore.prefix) ? try context.engines.sherpaModels.remove(id) : try await store.remove(id)
                    context.console.note("Removed \(id): \(bytes / 1_000_000) MB")
                }
            case let other: throw UsageError(other.map { "unknown: models \($0)" } ?? "list, pull, verify, import or remove?", usage: usage)
            }
        })

    private static func table(_ rows: [ModelRow]) -> String {
        rows.map { row in
            "\(row.id)\t\(row.role)\t\(row.size / 1_000_000) MB\t\(row.license)\t\(row.state.words)\t\(row.sets.joined(separator: ","))"
        }.joined(separator: "\n")
    }
}

extension ModelState {
    /// For people.
    var words: String {
        switch self {
        case .installed: "installed"
        case .missing: "missing"
        case .partial(let bytes): "partly there (\(bytes / 1_000_000) MB)"
        case .damaged(let reason): "damaged: \(reason)"
        }
    }
}

struct ModelListing: Encodable {
    struct Row: Encodable, Sendable {
        var id: String
        var role: String
        var name: String
        var license: String
        var bytes: Int64
        var state: String
        var sets: [String]
    }

    var schemaVersion = 1
    var models: [Row]

    init(_ rows: [ModelRow], _ installed: [SherpaModelStore.Entry]) {
        models =
            rows.map {
                Row(id: $0.id, role: $0.role, name: $0.name, license: $0.license, bytes: $0.size, state: $0.state.words, sets: $0.sets)
            }
            + installed.map { entry in
                Row(
                    id: SherpaModelStore.prefix + entry.name, role: entry.role, name: entry.kind, license: "", bytes: entry.bytes, state: entry.state,
                    sets: [])
            }
    }
}
