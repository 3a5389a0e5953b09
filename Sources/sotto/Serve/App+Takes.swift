import Foundation
import SottoHTTPServer
import SottoServing
import SottoTakes
import SottoText

extension App {
    var takeRoutes: [Route] {
        [
            read("/api/takes") { _ in
                let days = self.context.settings.takeDays
                if days > 0 { self.takes.removeAll(startedBefore: self.context.now().addingTimeInterval(-days * 86_400)) }
                return try .json(TakeListing(takes: self.takes.list(), days: days))
            },
            change(.delete, "/api/takes") { _ in
                self.takes.removeAll(startedBefore: .distantFuture)
                await self.announce(.takes)
                return .done
            },
            read("/api/takes/:id/audio") { request in
                .content(try FileContent.open(try self.takes.audio(of: try self.take(request)), type: "audio/wav"), for: request.head)
            },
            read("/api/takes/:id/text") { try await self.text(of: try self.take($0), $0) },
            change(.post, "/api/takes/:id/retry", body: .json(maximumBytes: 4_096)) { request in
                struct Wish: Decodable { var language: String?, engine: String? }
                let wish = try await request.json(Wish.self)
                var hearing = Hearing(try Hearing.language(wish.language ?? self.context.settings.spokenLanguage))
                hearing.engine = wish.engine
                let take = try await self.context.retry(try self.take(request), in: self.takes, hearing)
                await self.announce(.takes)
                return try .json(["take": take])
            },
            change(.delete, "/api/takes/:id") { request in
                try self.takes.remove(try self.take(request))
                await self.announce(.takes)
                return .done
            },
        ]
    }

    var takes: TakeStore { TakeStore(folder: context.places.takes) }

    private struct TakeListing: Encodable {
        var schemaVersion = 1
        var takes: [Take]
        var days: Double
    }

    private func take(_ request: HTTPRequest) throws -> String {
        let id = request.parameters["id"] ?? ""
        _ = try takes.take(id)
        return id
    }

    private func text(of id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        guard let format = TranscriptFormat(rawValue: request.text("format") ?? "text") else {
            throw Problem(400, "bad-query", "format is text, srt, vtt or json")
        }
        var take = try takes.take(id)
        // Takes of before, and those that nobody has heard yet.
        if take.segments == nil { take = try await context.retry(id, in: takes, Hearing(try Hearing.language(context.settings.spokenLanguage))) }
        let segments = take.segments ?? []
        let cues = segments.map { Subtitles.Cue(start: $0.start, end: $0.end, text: $0.text) }
        return switch format {
        case .text: .file(Array(((take.text ?? "") + "\n").utf8), type: "text/plain; charset=utf-8", name: "take-\(id).txt")
        case .srt: .file(Array(Subtitles.srt(cues).utf8), type: "application/x-subrip; charset=utf-8", name: "take-\(id).srt")
        case .vtt: .file(Array(Subtitles.vtt(cues).utf8), type: "text/vtt; charset=utf-8", name: "take-\(id).vtt")
        case .json: try .json(take)
        }
    }
}
