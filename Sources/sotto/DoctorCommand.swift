import Foundation
import SottoLanguageModels
import SottoModelStore
import SottoONNXRuntime
import SottoOwnership
import SottoPassageIndex
import SottoSQLiteStore
import SottoSpeechEngines
import SottoSubprocess
import SottoText

/// One thing that was looked at.
struct Check: Sendable, Equatable, Encodable {
    enum Status: String, Sendable, Encodable { case ok, warning, failed }
    var name: String
    var status: Status
    var detail: String
    /// What to do; empty when nothing is wrong.
    var remedy: String

    init(_ name: String, _ status: Status, _ detail: String, remedy: String = "") {
        self.name = name
        self.status = status
        self.detail = detail
        self.remedy = remedy
    }
}

extension Command {
    private static let doctorSpec = ArgumentSpec(
        """
        usage: sotto doctor [--quick] [--json]

          --quick   look only; do not run the engines
        """,
        ["quick": .flag, "json": .flag])

    static let doctor = Command(
        name: "doctor", summary: "check every part and say how to mend it", spec: doctorSpec,
        run: { arguments, context in
            let doctor = Doctor(context: context)
            var checks = await doctor.quick()
            if arguments.has("quick") == false {
                context.console.note("Running the engines…")
                checks += [await doctor.voiceRoundTrip(), await doctor.languageModel()]
            }
            if arguments.has("json") {
                try context.printJSON(DoctorReport(checks: checks))
            } else {
                context.console.result(
                    checks.map { check in
                        let mark = ["ok": "ok     ", "warning": "warning", "failed": "FAILED "][check.status.rawValue] ?? ""
                        return "\(mark)  \(check.name): \(check.detail)" + (check.remedy.isEmpty ? "" : "\n           → \(check.remedy)")
                    }.joined(separator: "\n"))
            }
            let failed = checks.count { $0.status == .failed }
            if failed > 0 { throw CommandError("\(failed) of \(checks.count) checks failed; what to do is written above") }
        })
}

private struct DoctorReport: Encodable {
    var schemaVersion = 1
    var checks: [Check]
}

/// Looks at the parts one by one; no check stops another.
struct Doctor {
    let context: Context

    /// All but what runs an engine.
    func quick() async -> [Check] {
        var checks = [machine()] + programs() + [runtime()]
        checks += await models()
        return checks + [storage(), await owner(), await library()]
    }

    func machine() -> Check {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let memory = ProcessInfo.processInfo.physicalMemory >> 30
        let detail = "\(cores) cores, \(memory) GiB of memory; engines use \(context.engines.threads) threads"
        guard memory >= 4 else {
            return Check(
                "machine", .warning, detail,
                remedy: "the default model wants 4 GiB; use a smaller one: sotto settings set languageModel smollm2-135m-instruct-q4_1")
        }
        return Check("machine", .ok, detail)
    }

    func programs() -> [Check] {
        let needed = [
            ("ffmpeg", "ffmpeg", "recordings other than plain WAV"), ("espeak-ng", "espeak-ng", "speech"),
            ("pdftotext", "poppler-utils", "PDF documents"), ("prlimit", "util-linux", "limits on child programs"),
        ]
        return needed.map { program, package, purpose in
            do {
                return Check(program, .ok, try Subprocess.locate(program, package: package))
            } catch {
                return Check(program, .failed, "not found; it is needed for \(purpose)", remedy: "apt-get install \(package)")
            }
        }
    }

    func runtime() -> Check {
        do {
            return Check("ONNX Runtime", .ok, try onnxRuntimeVersion())
        } catch {
            return Check("ONNX Runtime", .failed, error.message, remedy: "make setup")
        }
    }

    func models() async -> [Check] {
        do {
            let rows = try await context.engines.modelStore().list()
            let hasLanguageModel = rows.contains { $0.state == .installed && Engines.languageModels.contains($0.id) }
            return rows.compactMap { row in
                let isDefault = row.sets.contains("default")
                switch row.state {
                case .installed: return Check("model \(row.id)", .ok, "installed, \(row.size / 1_000_000) MB")
                case .missing where isDefault == false: return nil
                default:
                    // One language model is enough; which one is the user's choice.
                    let isSpare = Engines.languageModels.contains(row.id) && hasLanguageModel
                    return Check("model \(row.id)", isSpare ? .warning : .failed, row.state.words, remedy: "sotto models pull \(row.id)")
                }
            }
        } catch {
            return [Check("models", .failed, String(describing: error), remedy: "run sotto from its checkout or its installed place")]
        }
    }

    func storage() -> Check {
        let folder = context.places.data
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
            guard FileManager.default.isWritableFile(atPath: folder) else {
                return Check("data folder", .failed, "\(folder) may not be written", remedy: "change its owner or set XDG_DATA_HOME")
            }
            guard mode & 0o077 == 0 else {
                return Check("data folder", .warning, "\(folder) is open to other users", remedy: "chmod 700 \(folder)")
            }
            let free = try FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? NSNumber
            let megabytes = (free?.int64Value ?? 0) / 1_000_000
            guard megabytes > 500 else {
                return Check("data folder", .warning, "only \(megabytes) MB are free at \(folder)", remedy: "free some space")
            }
            return Check("data folder", .ok, "\(folder), \(megabytes) MB free")
        } catch {
            return Check(
                "data folder", .failed, "\(folder) cannot be made: \(error.localizedDescription)", remedy: "set XDG_DATA_HOME to a folder of yours")
        }
    }

    /// Whether a process works on the queue, and whether it answers.
    func owner() async -> Check {
        do {
            let ownership = try Ownership(places: context.places, environment: context.environment)
            guard let client = try await ownership.host() else { return Check("owner", .ok, "nobody works on the queue (sotto agents run does)") }
            return Check("owner", .ok, "process \(client.process) works on the queue and answers")
        } catch {
            return Check("owner", .failed, String(describing: error), remedy: "do as the message says")
        }
    }

    func library() async -> Check {
        do {
            guard let index = try await context.engines.index(writing: false) else {
                return Check("library", .warning, "empty", remedy: "sotto library add DIR")
            }
            let roots = try await index.roots()
            let damage = try await context.engines.databaseDamage()
            if let damage {
                return Check(
                    "library", .failed, "the database is damaged: \(damage)", remedy: "remove \(context.places.database) and add the folders again")
            }
            let documents = roots.reduce(0) { $0 + $1.documents }
            let passages = roots.reduce(0) { $0 + $1.passages }
            return Check(
                "library", documents > 0 ? .ok : .warning, "\(documents) documents, \(passages) passages",
                remedy: documents > 0 ? "" : "sotto library add DIR")
        } catch {
            return Check("library", .failed, String(describing: error), remedy: "see the message")
        }
    }

    /// Says three words and listens to them: synthesizer, phonemes, voice activity and recognizer in one go.
    func voiceRoundTrip() async -> Check {
        let sentence = "The quick brown fox jumps over the lazy dog."
        do {
            let started = ContinuousClock.now
            let heard = try await context.engines.roundTrip(sentence)
            let score = WordErrorRate(reference: Terms.tokens(sentence), hypothesis: Terms.tokens(heard))
            let seconds = (ContinuousClock.now - started).formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
            guard score.errors <= 2 else {
                return Check("voice", .failed, "said \"\(sentence)\", heard \"\(heard)\"", remedy: "sotto models verify")
            }
            return Check("voice", .ok, "spoke a sentence and heard it again in \(seconds)")
        } catch {
            return Check("voice", .failed, String(describing: error), remedy: "sotto models pull, then sotto models verify")
        }
    }

    func languageModel() async -> Check {
        do {
            guard let model = try await context.engines.languageModel() else {
                return Check("language model", .warning, "none is installed; answers are digests", remedy: "sotto models pull")
            }
            let started = ContinuousClock.now
            let answer = try await model.makeSession().respond(
                to: [.init(.user, "Reply with the word ready.")], options: .init(maximumTokens: 8)
            ).collect()
            let seconds = (ContinuousClock.now - started).formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
            guard answer.usage.generatedTokens > 0 else {
                return Check("language model", .failed, "\(model.name) wrote nothing", remedy: "sotto models verify")
            }
            return Check("language model", .ok, "\(model.name) loaded and wrote \(answer.usage.generatedTokens) tokens in \(seconds)")
        } catch {
            return Check("language model", .failed, String(describing: error), remedy: "sotto models verify")
        }
    }
}
