import Foundation
import SottoSpeechEngines

/// What is known of a long recording while it is being transcribed, so that a break costs nothing: one line of JSON a segment.
///
/// It belongs to one state of one file (path, size, time of change) and one recognizer; anything else begins anew.
struct TranscriptJournal {
    private struct Heading: Codable, Equatable {
        var version = 1
        var path: String
        var size: Int
        var changed: Double
        var recognizer: String
    }

    private let path: String
    /// What was heard before the break.
    let heard: [Transcript]
    private let file: FileHandle

    /// Opens the journal of a recording, or begins one.
    ///
    /// - Parameters:
    ///   - folder: Where journals are.
    ///   - anew: Forgets what was heard before.
    /// - Returns: `nil` when none can be written: then a break begins anew.
    init?(of recording: String, recognizer: String, in folder: String, anew: Bool) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: recording).resolvingSymlinksInPath().path),
            let size = facts[.size] as? Int, let changed = facts[.modificationDate] as? Date
        else { return nil }
        let heading = Heading(path: recording, size: size, changed: changed.timeIntervalSince1970, recognizer: recognizer)
        path = "\(folder)/\(Self.name(recording)).jsonl"
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        let lines = (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 0x0A)
        var heard: [Transcript] = []
        if anew == false, let first = lines.first, let found = try? decoder.decode(Heading.self, from: Data(first)), found == heading {
            for line in lines.dropFirst() {
                // A last line that was cut short is heard again.
                guard let segment = try? decoder.decode(Transcript.self, from: Data(line)) else { break }
                heard.append(segment)
            }
        }
        self.heard = heard
        guard let top = try? encoder.encode(heading) else { return nil }
        var bytes = top + Data("\n".utf8)
        for segment in heard {
            guard let line = try? encoder.encode(segment) else { return nil }
            bytes += line + Data("\n".utf8)
        }
        guard PrivateFile.write(bytes, to: path), let file = FileHandle(forWritingAtPath: path), (try? file.seekToEnd()) != nil else { return nil }
        self.file = file
    }

    func add(_ segment: Transcript) {
        // A journal that cannot be written is no reason to stop: only the way back is lost.
        guard let line = try? JSONEncoder().encode(segment) else { return }
        try? file.write(contentsOf: line + Data("\n".utf8))
    }

    /// The recording was heard to its end.
    func remove() {
        try? file.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// 64 bits of FNV-1a: short, and a collision is found out by the heading.
    private static func name(_ path: String) -> String {
        String(path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }
}
