/// The guest's side of its conversation with the owner. Does no I/O.
struct GuestDialogue: Sendable {
    enum State: Equatable { case awaitingWelcome, ready, running, ended }

    enum Action: Equatable {
        case none
        case welcomed
        case show(OwnerEvent)
        case sendInput
        case finish(Int32)
    }

    private(set) var state: State
    private let own: Greeting

    /// - Parameter state: `.running` once the command has been sent.
    init(own: Greeting, state: State = .awaitingWelcome) {
        self.own = own
        self.state = state
    }

    /// - Throws: ``OwnershipError`` `.otherVersion` when the owner turns us away, `.badMessage`.
    mutating func receive(_ frame: Frame) throws(OwnershipError) -> Action {
        switch (state, frame) {
        case (.awaitingWelcome, .welcome(let owner)):
            if let reason = owner.objection(to: own) {
                state = .ended
                throw OwnershipError(.otherVersion, reason)
            }
            state = .ready
            return .welcomed
        case (.awaitingWelcome, .refused(let reason)), (.running, .refused(let reason)):
            defer { state = .ended }
            throw OwnershipError(state == .running ? .failed : .otherVersion, reason)
        case (.running, .output(let bytes)): return .show(.output(bytes))
        case (.running, .note(let text)): return .show(.note(text))
        case (.running, .problem(let text)): return .show(.problem(text))
        case (.running, .progress(let progress)): return .show(.progress(progress))
        case (.running, .wantInput): return .sendInput
        case (.ready, .alive), (.running, .alive): return .none
        case (.running, .exit(let status)):
            state = .ended
            return .finish(status)
        default:
            state = .ended
            throw OwnershipError(.badMessage, "the owner sent what does not belong here; restart it")
        }
    }
}
