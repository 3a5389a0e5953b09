/// Which part this process plays for the data.
enum Role: Sendable {
    /// It reads and owns nothing.
    case visitor
    /// It owns the data for the time of one command.
    case owner
    /// It owns the data, works on the queue and serves other processes.
    case host
}
