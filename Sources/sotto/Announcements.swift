/// What commands that run in the host tell whoever shows the data.
final class Announcements: Sendable {
    struct Announcement: Sendable {
        var subject: Hosting.Subject
        /// JSON.
        var data: String
    }

    let stream: AsyncStream<Announcement>
    private let teller: AsyncStream<Announcement>.Continuation

    init() { (stream, teller) = AsyncStream.makeStream(of: Announcement.self, bufferingPolicy: .bufferingNewest(256)) }

    func tell(_ subject: Hosting.Subject, _ data: String = "{}") { teller.yield(Announcement(subject: subject, data: data)) }
}
