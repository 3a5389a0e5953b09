import Foundation
import SottoAgents
import SottoDocumentReading
import SottoJobStore
import SottoPages

/// A job and what came of it, as a document to keep or to hand on.
struct JobDocument: Sendable {
    enum Format: String, CaseIterable, Sendable {
        case markdown, html

        var fileExtension: String { self == .markdown ? "md" : "html" }
    }

    var job: Job
    var result: JobResult
    var words: JobWords

    func text(_ format: Format) throws -> String {
        switch format {
        case .markdown: markdown
        case .html: try html()
        }
    }

    /// A name that every file system takes: letters, digits and dashes of the title, and the job's number.
    func fileName(_ format: Format) -> String {
        var name = ""
        for scalar in job.title.lowercased().unicodeScalars {
            guard name.utf8.count < 60 else { break }
            if scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal {
                name.unicodeScalars.append(scalar)
            } else if name.last != "-", name.isEmpty == false {
                name += "-"
            }
        }
        while name.last == "-" { name.removeLast() }
        return (name.isEmpty ? "job" : name) + "-\(job.id).\(format.fileExtension)"
    }

    private var facts: [String] {
        var facts = ["Job \(job.id), \(words.state(job))"]
        if let finished = job.finishedAt { facts.append("ended \(words.zone.text(finished)) (\(words.zone))") }
        return facts
    }

    private var markdown: String {
        var parts = ["# " + Self.escaped(JobWords.line(job.title, limit: 2000)), "*" + Self.escaped(facts.joined(separator: "; ")) + "*"]
        if result.summary.isEmpty == false { parts.append("> " + Self.escaped(JobWords.line(result.summary, limit: 4000))) }
        parts.append(result.findings.trimmingCharacters(in: .whitespacesAndNewlines))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What could begin markup, behind backslashes, which Markdown shows as itself; the rest stays readable as plain text.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\", "`", "*", "[", "]", "<", "&", "~", "|": result += "\\"
            default: break
            }
            result.unicodeScalars.append(scalar)
        }
    }

    /// Addresses by number, from the source table that the handler made: `sources[]` of `id` and `location`.
    var sources: [Int: String] {
        let rows = JSONValue(parsing: result.body)?["sources"]?.elements ?? []
        return Dictionary(
            rows.compactMap { row in row["id"]?.whole.flatMap { id in row["location"]?.text.map { (id, $0) } } },
            uniquingKeysWith: { first, _ in first })
    }

    private func html() throws -> String {
        let title = Self.htmlEscaped(JobWords.line(job.title, limit: 2000))
        let language = JSONValue(parsing: result.body)?["language"]?.text ?? "en"
        let summary = JobWords.line(result.summary, limit: 4000)
        return """
            <!doctype html>
            <html lang="\(Self.htmlEscaped(language))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p class="facts">\(Self.htmlEscaped(facts.joined(separator: "; ")))</p>
            \(summary.isEmpty ? "" : "<p class=\"summary\">\(Self.htmlEscaped(summary))</p>")
            \(try MarkdownHTML.render(result.findings, sources: sources))</main>
            </body>
            </html>

            """
    }

    /// By scalars, not characters: a mark that combines with "<" must not hide it.
    static func htmlEscaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static let style = """

        :root { --text: #1c1c1e; --back: #ffffff; --soft: #5f6368; --line: #d9dade; --link: #0b57d0; }
        @media (prefers-color-scheme: dark) { :root { --text: #e8e8ea; --back: #17181a; --soft: #a2a6ac; --line: #3a3c40; --link: #8ab4f8; } }
        body { margin: 0; background: var(--back); color: var(--text); font: 1.05rem/1.6 system-ui, sans-serif; }
        main { max-width: 44rem; margin: 0 auto; padding: 2rem 1.2rem 4rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.3; } h2 { font-size: 1.15rem; margin-top: 2rem; }
        a { color: var(--link); } .facts { color: var(--soft); font-size: .9rem; }
        .summary { border-left: 3px solid var(--line); padding-left: 1rem; }
        pre { overflow-x: auto; padding: .8rem; border: 1px solid var(--line); } table { border-collapse: collapse; }
        td, th { border: 1px solid var(--line); padding: .3rem .6rem; }
        @media print { main { padding: 0; } }

        """
}
