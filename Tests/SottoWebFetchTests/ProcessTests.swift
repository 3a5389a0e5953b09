import Foundation
import SottoSubprocess
import Testing

/// What can only be seen from outside: the fetcher in a process of its own.
@Suite(.serialized) struct ProcessTests {
    private static let probe = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent(".build/debug/web-fetch-probe").path

    private func run(_ web: TestWeb, _ paths: [String], environment: [String: String] = [:]) async throws -> [String] {
        var request = Subprocess.Request(Self.probe, ["\(web.port)"] + paths.map { "http://site.test:\(web.port)\($0)" })
        request.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        request.deadline = .seconds(120)
        let result = try await Subprocess.run(request)
        #expect(result.status == .exited(0), "\(String(decoding: result.standardError, as: UTF8.self))")
        return String(decoding: result.standardOutput, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("bombs and endless streams cost at most 64 MB above idle")
    func memory() async throws {
        let web = try TestWeb(Faults.serve)
        let paths = [
            "/packed/bomb.gz", "/packed/bomb.deflate", "/packed/bomb.br", "/packed/bomb.zst", "/packed/bomb.gz.gz", "/packed/bomb.gz?chunked",
            "/packed/bomb.br?chunked",
            "/packed/bomb.zst?chunked", "/endless", "/endless-chunks", "/endless-headers", "/endless-pdf", "/big-pdf", "/image", "/wrong-encoding",
        ]
        let lines = try await run(web, paths)
        try #require(lines.count == paths.count + 1)
        #expect(lines[..<8].allSatisfy { $0.hasPrefix("decompressionBomb") }, "\(lines)")
        #expect(lines[8...9].allSatisfy { $0 == "200 1200000" }, "\(lines)")
        let words = (lines.last ?? "").split(separator: " ")
        let idle = try #require(Int(words[1])), peak = try #require(Int(words[3]))
        print("web-fetch memory: idle \(idle) KB, peak \(peak) KB, \(peak - idle) KB above")
        #expect(peak - idle <= 64 * 1_024)
    }

    @Test("the environment's proxies are ignored")
    func environment() async throws {
        let web = try TestWeb(Faults.serve)
        let canary = try Canary()
        let proxy = "http://127.0.0.1:\(canary.port)"
        let lines = try await run(
            web, ["/page"], environment: ["http_proxy": proxy, "HTTP_PROXY": proxy, "all_proxy": proxy, "ALL_PROXY": proxy, "https_proxy": proxy])
        #expect(lines.first == "200 \(Faults.body.utf8.count)")
        #expect(canary.connections() == 0)
        #expect(canary.touch() && canary.connections() == 1)
    }
}
