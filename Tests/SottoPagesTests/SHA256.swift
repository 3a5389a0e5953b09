import Foundation

/// The digest as `sha256sum` computes it: the tests' own check shares no code with what they check.
enum SHA256 {
    static func hex(of bytes: [UInt8]) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.arguments = [file.path]
        guard (try? Data(bytes).write(to: file)) != nil, (try? process.run()) != nil else { return "" }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output.prefix(64), as: UTF8.self)
    }
}
