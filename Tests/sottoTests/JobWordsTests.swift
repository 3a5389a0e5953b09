import Foundation
import SottoAgents
import SottoJobStore
import Testing

@testable import sotto

/// 30 November 2026, 12:00:00 UTC.
let noon = Date(timeIntervalSince1970: 1_796_040_000)

func job(
    _ id: Int64 = 12, state: JobState = .queued, dueAt: Date = noon, attempt: Int = 0, lastHeard: Date? = nil, outcome: JobOutcome? = nil, error: String? = nil,
    isCancelRequested: Bool = false, title: String = "Which tool edits sudoers?"
) -> Job {
    Job(
        id: JobID(id), kind: "research", title: title, payload: "{}", state: state, createdAt: noon.addingTimeInterval(-300), dueAt: dueAt, attempt: attempt,
        maximumAttempts: 3, lastHeard: lastHeard, isCancelRequested: isCancelRequested, outcome: outcome, error: error)
}

@Suite struct JobWordsTests {
    private func words(served: Bool = true) throws -> JobWords { JobWords(now: noon, zone: try ScheduleZone("Europe/Berlin"), isServed: served) }

    @Test("a state says what is true of the job, and what is missing")
    func states() throws {
        let words = try words()
        #expect(words.state(job()) == "queued")
        #expect(words.state(job(attempt: 1)) == "queued again")
        #expect(words.state(job(dueAt: noon.addingTimeInterval(3600))) == "queued for 2026-11-30 14:00")
        #expect(words.state(job(dueAt: noon.addingTimeInterval(60), attempt: 1, error: "x")) == "waits to be tried again at 2026-11-30 13:01")
        #expect(words.state(job(state: .running, lastHeard: noon.addingTimeInterval(-3))) == "running, heard 3 s ago")
        #expect(words.state(job(state: .running, isCancelRequested: true)) == "stopping")
        #expect(words.state(job(state: .completed, outcome: .done)) == "done")
        #expect(words.state(job(state: .completed, outcome: .short(gaps: ["a"]))) == "done, short of the request (1 gap)")
        #expect(words.state(job(state: .completed, outcome: .short(gaps: ["a", "b"]))) == "done, short of the request (2 gaps)")
        #expect(words.state(job(state: .failed)) == "failed")
        #expect(words.state(job(state: .cancelled)) == "cancelled")
    }

    @Test("a job marked as running is not shown as running when nobody works")
    func orphan() throws {
        #expect(try words(served: false).state(job(state: .running, lastHeard: noon)).contains("broken off"))
    }

    @Test("ages", arguments: [(0.0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_399, "23 h"), (86_400, "1 d"), (-5, "0 s")])
    func ages(seconds: Double, expected: String) throws {
        #expect(try words().age(since: noon.addingTimeInterval(-seconds)) == expected)
    }

    @Test("the table has aligned columns, and each cause under its job")
    func table() throws {
        let schedule = Schedule(
            id: ScheduleID(3), kind: "research", title: "News", payload: "{}", rule: "day at 09:00", zone: "America/New_York", createdAt: noon,
            nextRun: noon.addingTimeInterval(7200), lastRun: nil, missed: 2)
        let text = try words().table([job(state: .completed, outcome: .done), job(7, state: .failed, attempt: 2, error: "no model\nis there")], [schedule])
        #expect(
            text == """
                ID  STATE   AGE    ATTEMPT  TASK
                12  done    5 min  -        Which tool edits sudoers?
                7   failed  5 min  2        Which tool edits sudoers?
                    no model is there

                SCHEDULE  EVERY         NEXT RUN                           LAST RUN  MISSED  TASK
                s3        day at 09:00  2026-11-30 09:00 America/New_York  -         2       News
                """)
    }

    @Test("nothing in a title reaches the terminal as a command", arguments: [("a\u{1B}[2Jb", "a [2Jb"), ("a\nb\t c", "a b c"), ("x\u{202E}y", "x y"), ("\u{7}", "")])
    func control(text: String, expected: String) {
        #expect(JobWords.line(text, limit: 100) == expected)
    }

    @Test("a long line ends in an ellipsis")
    func long() {
        #expect(JobWords.line(String(repeating: "a", count: 11), limit: 10) == "aaaaaaaaa…")
    }

    @Test("a log line has time, attempt, step and cause")
    func event() throws {
        let event = JobEvent(id: 1, job: JobID(1), date: noon.addingTimeInterval(5), attempt: 2, kind: .stepFailed, step: "search", text: "timed out after 30 s")
        #expect(try words().line(event) == "2026-11-30 13:00:05  2  search FAILED: timed out after 30 s")
    }
}

@Suite struct JobDocumentTests {
    private func document(title: String = "T", findings: String = "F", summary: String = "S", sources: String = "[]") throws -> JobDocument {
        JobDocument(
            job: job(state: .completed, outcome: .done, title: title),
            result: JobResult(body: "{\"language\": \"de\", \"sources\": \(sources)}", findings: findings, summary: summary, outcome: .done),
            words: JobWords(now: noon, zone: try ScheduleZone("UTC"), isServed: false))
    }

    /// Whatever these texts say, the page has only the elements that we wrote.
    static let hostile = [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](https://evil.example/pixel.png)",
        "[1]: https://evil.example\n\n[1]", "<https://evil.example>", "https://evil.example/", "<\u{301}script>alert(1)</script>", "&lt;script&gt;",
        "<a href=\"https://evil.example\">x</a>", "<!--\n<b>\n-->", "</main></body><iframe src=https://evil.example>", "\"><svg/onload=alert(1)>", "</style><script>",
        "[a](<https://evil.example/\" onmouseover=\"x>)", "```html\n</code></pre><script>\n```", "| a |\n|---|\n| <script> |",
    ]

    @Test("hostile text stays text, wherever it stands", arguments: hostile)
    func hostileText(text: String) throws {
        for document in [try document(title: text), try document(findings: text), try document(summary: text)] {
            let html = try document.text(.html)
            let tags = Self.tags(html)
            let known: Set<String> = [
                "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "ul", "ol", "li", "a", "code", "pre", "table", "thead", "tbody", "tr", "th", "td",
                "em", "strong", "blockquote", "h2", "del",
            ]
            for tag in tags {
                let name = String(tag.drop { $0 == "/" || $0 == "!" }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) })
                #expect(known.contains(name) || name == "doctype", "\(tag)")
                #expect(tag.lowercased().contains(" on") == false, "\(tag)")
                #expect(tag.contains("evil.example") == false, "\(tag)")
                #expect(tag.lowercased().contains("javascript") == false, "\(tag)")
            }
        }
    }

    /// What stands between "<" and ">" of each tag, as a browser would see it.
    private static func tags(_ html: String) -> [String] {
        var tags: [String] = []
        var current: String.UnicodeScalarView?
        for scalar in html.unicodeScalars {
            if scalar == "<" {
                current = String.UnicodeScalarView()
            } else if scalar == ">" {
                if let current { tags.append(String(current)) }
                current = nil
            } else {
                current?.append(scalar)
            }
        }
        return tags
    }

    @Test("marks and addresses lead to the sources of the table, and to nothing else")
    func links() throws {
        let document = try document(
            findings: "So it is. [1][2] [3]\n\n## Sources\n\n1. A — https://a.example/x\n2. B — /home/b.html",
            sources: #"[{"id": 1, "location": "https://a.example/x"}, {"id": 2, "location": "/home/b.html"}]"#)
        let html = try document.text(.html)
        #expect(html.contains(#"So it is. <a href="https://a.example/x">[1]</a>[2] [3]"#))
        #expect(html.contains(#"<a href="https://a.example/x">https://a.example/x</a>"#))
        #expect(html.components(separatedBy: "<a ").count == 3)
    }

    @Test("the page stands alone: language, light and dark, nothing to fetch")
    func alone() throws {
        let html = try document(title: "a < b & \"c\"").text(.html)
        #expect(html.contains("<html lang=\"de\">"))
        #expect(html.contains("<title>a &lt; b &amp; &quot;c&quot;</title>"))
        #expect(html.contains("prefers-color-scheme: dark"))
        #expect(html.contains("default-src 'none'"))
        #expect(html.contains("src=") == false)
        #expect(html.contains("@import") == false)
    }

    @Test("Markdown keeps the findings as they are and escapes the title")
    func markdown() throws {
        let text = try document(title: "*a* [b](c)", findings: "**F** [1]\n").text(.markdown)
        #expect(text.hasPrefix("# \\*a\\* \\[b\\](c)\n"))
        #expect(text.hasSuffix("\n\n**F** [1]\n"))
    }

    @Test("a file's name is safe whatever the title", arguments: [
        ("Which tool edits sudoers?", "which-tool-edits-sudoers-12.html"), ("../../etc/passwd", "etc-passwd-12.html"), ("", "job-12.html"), ("-rf /", "rf-12.html"),
        ("Größe 5", "größe-5-12.html"), ("\u{0}\n", "job-12.html"),
    ])
    func fileNames(title: String, expected: String) throws {
        #expect(try document(title: title).fileName(.html) == expected)
    }

    @Test("a long title makes a name that file systems take")
    func longName() throws {
        #expect(try document(title: String(repeating: "語", count: 500)).fileName(.html).utf8.count < 100)
    }
}
