/// The app's files, held in memory: what was read at the start is all there is, so no path of a request ever reaches the disk.
public struct StaticFiles: Sendable {
    public struct File: Sendable, Equatable {
        public var bytes: [UInt8]
        public var contentType: String
        /// Of its contents, with the quotation marks.
        public var tag: String
    }

    private let files: [String: File]

    /// - Parameter contents: By path with `/` between parts, as a request names them without its first slash.
    public init(_ contents: [String: [UInt8]]) {
        files = contents.reduce(into: [:]) { files, entry in
            let digest = SHA1.digest(entry.value).prefix(12)
            files[entry.key] = File(bytes: entry.value, contentType: Self.contentType(entry.key), tag: "\"\(Base64.text(Array(digest)))\"")
        }
    }

    public var paths: [String] { files.keys.sorted() }

    /// A route for all of them, open to everybody who reaches the server; `/` and folders answer with their `index.html`.
    public func route(at pattern: RoutePattern = "/*path") -> Route {
        Route.read(pattern, access: .open) { request throws in try self.response(request.parameters["path"] ?? "", request.head) }
    }

    /// - Throws: ``Problem`` 404.
    func response(_ path: String, _ head: RequestHead) throws(Problem) -> HTTPResponse {
        guard let file = files[path] ?? files[path.isEmpty ? "index.html" : path + "/index.html"] else {
            throw Problem(404, "not-found", "there is nothing at this address")
        }
        // Asked for again each time, and answered with 304 while it is the same: a new version is never mixed with an old one.
        return .content(HTTPContent(file.bytes, type: file.contentType, tag: file.tag, cacheControl: "no-cache"), for: head)
    }

    static func contentType(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
        return switch name[name.index(after: dot)...].lowercased() {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        case "wasm": "application/wasm"
        case "wav": "audio/wav"
        case "mp3": "audio/mpeg"
        case "ogg", "opus": "audio/ogg"
        case "flac": "audio/flac"
        default: "application/octet-stream"
        }
    }
}
