import Foundation
import SottoAgents
import SottoArchive
import SottoJobStore
import SottoSQLiteStore
import SottoTakes

extension DataKeeping {
    /// What went into an archive.
    struct Exported: Sendable, Equatable {
        var files = 0
        /// Of the archive.
        var bytes: Int64 = 0
        /// What could not go in, a line for each.
        var left: [String] = []
    }

    /// Writes everything that is the user's into a ZIP archive: a copy of the database as it is at one moment, each task in Markdown and JSON,
    /// recordings, voices,
    /// settings, interrupted transcriptions, and a README that says what is what. Left out is what can be had again (models, pages, speech) and,
    /// unless wanted,
    /// secrets: the keys of search providers and the one that signs voices.
    ///
    /// - Parameters:
    ///   - path: Replaced if it is there; mode 0600.
    ///   - words: For the dates in tasks.
    ///   - progress: From 0 to 1.
    /// - Throws: ``CommandError``, ``SQLiteError``, ``ArchiveError``; `CancellationError`. Nothing is left of the archive then.
    func export(to path: String, withSecrets: Bool, words: JobWords, progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws
        -> Exported
    {
        // Beside the archive, for the copy of the database may be large.
        let draft = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/.sotto-export-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError("nothing can be written beside \(path): \(error.localizedDescription)")
        }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        var exported = Exported()
        var entries = try await taskEntries(in: draft, words)
        entries += takeEntries(&exported.left)
        for (part, folder) in [(DataPart.voices, "voices"), (.transcripts, "transcripts"), (.settings, "settings"), (.library, "documents")] {
            entries += archived(part, in: folder)
        }
        entries += archived(.ledger, in: "ledger")
        if withSecrets { entries += archived(.secrets, in: "secrets") + archived(.key, in: "secrets") }
        let readme = draft + "/README.md"
        guard PrivateFile.write(Data(Self.readme(withSecrets: withSecrets, left: exported.left).utf8), to: readme) else { throw full(draft) }
        entries.insert(ArchiveEntry(name: "README.md", path: readme, isCompressed: true), at: 0)
        try await ArchiveWriter().write(entries, to: path, progress: progress)
        exported.files = entries.count
        exported.bytes = ((try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? NSNumber)?.int64Value ?? 0
        return exported
    }

    private func full(_ folder: String) -> CommandError { CommandError("\(folder) cannot be written; is the disk full?") }

    /// The database, and its tasks for people and programs.
    private func taskEntries(in draft: String, _ words: JobWords) async throws -> [ArchiveEntry] {
        guard let parts = try storeParts() else { return [] }
        let copy = draft + "/sotto.sqlite"
        try await parts.copy(to: copy)
        var entries = [ArchiveEntry(name: "sotto.sqlite", path: copy, isCompressed: true)]
        // From the copy: all of one moment.
        let store = try SQLiteJobStore(path: copy, role: .reader)
        let jobs = try await store.jobs(states: Set(JobState.allCases), limit: .max)
        let schedules = try await store.schedules()
        func add(_ name: String, _ text: String) throws {
            let path = "\(draft)/\(entries.count)"
            guard PrivateFile.write(Data(text.utf8), to: path) else { throw full(draft) }
            entries.append(ArchiveEntry(name: name, path: path, isCompressed: true))
        }
        try add(
            "tasks/tasks.json",
            try jsonText(AgentsListReport(served: false, jobs: jobs.map(JobReport.init), schedules: schedules.map(ScheduleReport.init))))
        for job in jobs {
            let result = try await store.result(of: job.id)
            let report = AgentsShowReport(
                job: job, steps: try await store.steps(of: job.id), events: try await store.allEvents(of: job.id), result: result)
            try add("tasks/\(job.id).json", try jsonText(report))
            guard let result else { continue }
            let document = JobDocument(job: job, result: result, words: words)
            try add("tasks/" + document.fileName(.markdown), try document.text(.markdown))
        }
        return entries
    }

    private func takeEntries(_ left: inout [String]) -> [ArchiveEntry] {
        var entries: [ArchiveEntry] = []
        for take in TakeStore(folder: places.takes).list() {
            guard take.state != .recording else {
                left.append("the take \(take.id) is being recorded and is not in it")
                continue
            }
            entries += Self.entries(DataFolder([places.takes + "/" + take.id]).files, below: places.takes, in: "takes")
        }
        return entries
    }

    private func archived(_ part: DataPart, in folder: String) -> [ArchiveEntry] {
        paths(of: part).flatMap { path in
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let root = isFolder.boolValue ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
            return Self.entries(DataFolder([path]).files, below: root, in: folder)
        }
    }

    private static func entries(_ files: [String], below root: String, in folder: String) -> [ArchiveEntry] {
        files.map { file in
            ArchiveEntry(name: folder + file.dropFirst(root.count), path: file, isCompressed: file.hasSuffix(".wav") == false)
        }
    }

    private static func readme(withSecrets: Bool, left: [String]) -> String {
        """
        # What Sotto kept

        - `tasks/`: every task; `NAME-N.md` is what came of task N, `N.json` all that is known of it as \
        `sotto agents show N --json` prints it, `tasks.json` the list with the schedules
        - `sotto.sqlite`: the database (SQLite 3): tasks, the index of your documents, and what left the machine. \
        `$XDG_DATA_HOME/sotto/sotto.sqlite` is its place
        - `takes/`: recordings of dictation (`audio.wav`), and what was heard (`take.json`)
        - `voices/`: voices made after people's, with their recordings. Whoever has them can speak in these voices
        - `transcripts/`: transcriptions of recordings that were interrupted
        - `ledger/`: downloads of models; all other requests are in the database
        - `documents/`: those that were given to the app
        - `settings/`: settings, replacements, pronunciations
        \(withSecrets ? "- `secrets/`: keys of search providers, and the key that signs exported voices. Keep them to yourself" : "")
        Not in it: your other documents, models, pages of the web and speech, which can all be had again\
        \(withSecrets ? "" : "; and secrets, which `--with-secrets` adds").
        \(left.map { "\n- " + $0 }.joined())
        """
    }
}

extension JobStore {
    /// The whole log of a job.
    func allEvents(of id: JobID) async throws -> [JobEvent] {
        var events: [JobEvent] = []
        while true {
            let page = try await self.events(after: events.last?.id ?? 0, job: id, limit: 500)
            events += page
            if page.count < 500 { return events }
        }
    }
}
