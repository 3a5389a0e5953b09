import Foundation
import SottoLibrary
import SottoObservability
import SottoOwnership
import SottoPassageIndex
import SottoServing

extension App {
    /// Work of that name reads documents: one folder at a time, for all write the same index.
    private static let reading = "library"
    private static let documentBytes = 64 << 20

    var libraryRoutes: [Route] {
        [
            read("/api/library") { _ in try .json(LibraryListing(roots: try await self.engines.index(writing: false)?.roots() ?? [])) },
            change(.post, "/api/library", body: .json(maximumBytes: 16 << 10)) { request in
                struct Place: Decodable { var path: String }
                let path = try await request.json(Place.self).path
                // From which folder a server was started is nothing that a client knows.
                guard path.hasPrefix("/") || path == "~" || path.hasPrefix("~/"), path.unicodeScalars.allSatisfy({ $0.value >= 32 }) else {
                    throw Problem(422, "bad-path", "name a folder or file by its whole path, as /home/you/Documents or ~/Documents")
                }
                try self.readDocuments(try self.context.existing(path))
                return HTTPResponse(status: 202)
            },
            change(.put, "/api/library/files/:name", body: BodyRule(maximumBytes: Self.documentBytes, contentTypes: Self.documentTypes)) {
                try await self.keepDocument($0)
            },
            change(.delete, "/api/library") { try await self.removeDocuments($0) },
            read("/api/library/search") { request in
                guard let words = request.text("query") else { throw Problem(400, "bad-query", "words to search for are needed") }
                let limit = try request.number("limit", default: 10, in: 1...100)
                let query = PassageQuery(text: String(words.prefix(1_000)), language: self.context.language(of: words), limit: limit)
                let hits = try await self.engines.index(writing: false)?.search(query) ?? []
                return try .json(LibrarySearchReport(query: words, hits: hits))
            },
        ]
    }

    private static let documentTypes = [
        "application/octet-stream", "application/pdf", "text/html", "text/markdown", "text/plain", "application/xhtml+xml",
    ]
    /// What documents that can be read are called.
    private static let documentEndings: Set<String> = ["pdf", "html", "htm", "xhtml", "md", "markdown", "txt", "text"]

    private struct LibraryListing: Encodable {
        var schemaVersion = 1
        var roots: [LibraryRoot]
    }

    private struct ReadingProgress: Encodable, Sendable {
        var path: String
        var text: String
        var fraction: Double?
        var done: Bool
        var error: String?
    }

    /// Reads a folder or file into the library, beside everything else.
    ///
    /// - Parameter repeats: Whether it is read after another one that is read now.
    /// - Throws: ``Problem`` 409 while another one is read.
    private func readDocuments(_ path: String, orAfter repeats: Bool = false) throws {
        let isBegun = work.begin(Self.reading, orAfter: repeats) { [events] in
            let end = await events.publishingNewest("library-progress", of: ReadingProgress.self) { tell in
                let console = Console(forwardingTo: { event in
                    guard case .progress(let progress) = event else { return }
                    let fraction = progress.total.flatMap { $0 > 0 ? Double(progress.completed) / Double($0) : nil }
                    tell(ReadingProgress(path: path, text: progress.line, fraction: fraction, done: false))
                })
                let context = self.context
                let quiet = Context(
                    context, console: console, folder: context.folder, zone: context.zone, input: context.input, hosting: self.hosting)
                do { try await LibraryUpdate.run(path, context: quiet, announce: true) } catch is CancellationError {
                    return ReadingProgress(path: path, text: "Stopped", done: true)
                } catch {
                    return ReadingProgress(path: path, text: "Not read", done: true, error: Problem.words(for: error))
                }
                return ReadingProgress(path: path, text: "Read", fraction: 1, done: true)
            }
            return {
                _ = try? await events.publish("library-progress", end)
                await self.announce(.library)
            }
        }
        guard isBegun else { throw Problem(409, "busy", "documents are being read already; wait until that has ended") }
    }

    private func keepDocument(_ request: HTTPRequest) async throws -> HTTPResponse {
        let name = (request.parameters["name"] ?? "").trimmingCharacters(in: .whitespaces)
        let ending = URL(fileURLWithPath: name).pathExtension.lowercased()
        guard name.utf8.count <= 200, name.hasPrefix(".") == false, name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw Problem(422, "bad-name", "a file's name has at most 200 bytes and does not begin with a dot")
        }
        guard Self.documentEndings.contains(ending) else {
            throw Problem(415, "bad-document", "documents are \(Self.documentEndings.sorted().joined(separator: ", ")), not \"\(ending)\"")
        }
        let bytes = try await request.body.collect()
        guard bytes.isEmpty == false else { throw Problem(422, "bad-document", "the file is empty") }
        let path = context.places.documents + "/" + name
        guard PrivateFile.write(Data(bytes), to: path) else { throw Problem(507, "not-writable", "the document cannot be kept; free some space") }
        // A reading that goes on may have passed it.
        try readDocuments(context.places.documents, orAfter: true)
        return try .json(["path": path], status: 201)
    }

    private func removeDocuments(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let path = request.text("path") else { throw Problem(400, "bad-query", "path names the folder or file to remove") }
        guard let index = try await engines.index(writing: true), try await index.roots().contains(where: { $0.path == path }) else {
            throw Problem(404, "not-found", "\(path) is not in the library")
        }
        let count = try await context.library(index).remove(path)
        await announce(.library)
        return try .json(["documents": count])
    }
}
