/// Where a command runs.
enum Place: Sendable {
    /// In the process that was called.
    case here
    /// In the owner when one serves, else in the process that was called.
    case host
    /// In the owner when one serves, else in the process that was called, once it is the owner.
    case owner
    /// Like `owner` while the settings let research use the web, for the network ledger is written first; else like `host`.
    case researcher
    /// In the process that was called, which becomes the one that serves. When one serves already, `ifServed` says what it does instead.
    case newHost(ifServed: Instead)

    enum Instead: Sendable {
        case forward
        case refuse
    }
}
