import Foundation
import Testing

/// The fixture server, ended by closing its standard input.
final class RangeServer: Sendable {
    let port: Int
    let folder: String
    private let input: Pipe
    private let output: Pipe

    init(serving folder: String) throws {
        self.folder = folder
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Workshop.fixtures + "/range_server.py", folder]
        output = Pipe()
        input = Pipe()
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        port = try #require(Int(try Self.line(output)))
    }

    private static func line(_ output: Pipe) throws -> String {
        var line = ""
        while line.hasSuffix("\n") == false {
            guard let data = try output.fileHandleForReading.read(upToCount: 1), data.isEmpty == false else { break }
            line += String(decoding: data, as: UTF8.self)
        }
        return line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { try? input.fileHandleForWriting.close() }

    func url(_ mode: String, _ name: String) -> String { "http://127.0.0.1:\(port)/\(mode)/\(name)" }

    /// The rows of the server's log, once no answer is under way: a client has an answer before its row is written.
    func requests() throws -> [[String: Any]] {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        _ = try Self.line(output)
        guard let text = try? String(contentsOfFile: folder + "/requests.log", encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
}
