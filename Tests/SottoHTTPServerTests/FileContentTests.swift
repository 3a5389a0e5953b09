import Foundation
import SottoHTTPServer
import SottoServing
import SottoSubprocess
import Testing

/// Files and their parts, asked for by curl.
@Suite struct FileContentTests {
    private static let bytes = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }

    private static func with(_ body: @Sendable (TestServer, String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sotto-files-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/take.wav"))
        try Data().write(to: URL(fileURLWithPath: folder + "/empty.wav"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.wav", withDestinationPath: folder + "/take.wav")
        let made = unsafe mkfifo(folder + "/pipe.wav", 0o600)
        #expect(made == 0)
        let routes: [Route] = [
            .read("/files/:name") { request in
                .content(try FileContent.open("\(folder)/\(request.parameters["name"] ?? "")", type: "audio/wav"), for: request.head)
            }
        ]
        try await TestServer.with(routes: routes) { server in try await body(server, folder) }
    }

    /// - Returns: The status, the fields by lower-case names, and the body.
    private static func curl(_ server: TestServer, _ name: String, _ arguments: [String] = []) async throws -> (Int, [String: String], [UInt8]) {
        let all = ["-sS", "-D", "/dev/stderr", "-H", "Authorization: Bearer the-key"] + arguments + ["http://127.0.0.1:\(server.port)/files/\(name)"]
        let output = try await Subprocess.run(Subprocess.Request("curl", all))
        let lines = output.errorText.replacing("\r\n", with: "\n").split(separator: "\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1)
            if halves.count == 2 { fields[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces) }
        }
        return (Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0, fields, output.standardOutput)
    }

    @Test("a file comes whole and in parts, and not at all when the client has it") func parts() async throws {
        try await Self.with { server, folder in
            let (status, fields, body) = try await Self.curl(server, "take.wav")
            #expect(status == 200 && body == Self.bytes)
            #expect(fields["content-type"] == "audio/wav" && fields["content-length"] == "300001" && fields["accept-ranges"] == "bytes")
            let tag = try #require(fields["etag"])
            for (asked, part) in [
                ("0-", 0..<300_001), ("0-0", 0..<1), ("65535-65536", 65_535..<65_537), ("100000-250000", 100_000..<250_001),
                ("-7", 299_994..<300_001),
            ] {
                let (status, fields, body) = try await Self.curl(server, "take.wav", ["-r", asked])
                #expect(status == 206 && body == Array(Self.bytes[part]))
                #expect(
                    fields["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/300001"
                        && fields["content-length"] == String(part.count))
            }
            let beyond = try await Self.curl(server, "take.wav", ["-r", "300001-"])
            #expect(beyond.0 == 416 && beyond.1["content-range"] == "bytes */300001")
            let same = try await Self.curl(server, "take.wav", ["-H", "If-None-Match: \(tag)"])
            #expect(same.0 == 304 && same.2.isEmpty && same.1["etag"] == tag)
            let head = try await Self.curl(server, "take.wav", ["-I", "-o", "/dev/null"])
            #expect(head.0 == 200 && head.1["content-length"] == "300001")
            // Written anew: the old tag stands for nothing any more, so the whole comes.
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + "/take.wav"))
            let anew = try await Self.curl(server, "take.wav", ["-r", "1-1", "-H", "If-Range: \(tag)"])
            #expect(anew.0 == 200 && anew.2 == [1, 2, 3] && anew.1["etag"] != tag)
        }
    }

    @Test(
        "an empty file is one; what is no file is not there",
        arguments: [("empty.wav", 200), ("link.wav", 404), ("pipe.wav", 404), ("missing.wav", 404), (".", 400)])
    func others(_ name: String, _ status: Int) async throws {
        try await Self.with { server, _ in
            let answer = try await Self.curl(server, name, ["--path-as-is"])
            #expect(answer.0 == status)
            if status == 200 { #expect(answer.2.isEmpty && answer.1["content-length"] == "0") }
        }
    }
}
