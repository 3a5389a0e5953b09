/// The owner's side of one guest's conversation: what each frame means when it comes. Does no I/O.
struct OwnerDialogue: Sendable {
    enum State: Equatable { case awaitingGreeting, awaitingCommand, running, ended }

    enum Action: Equatable {
        case none
        case reply(Frame)
        /// Send this, then hang up.
        case refuse(Frame)
        case start(GuestCommand)
        case input([UInt8])
        case inputEnd
        case cancel
        /// Hang up: the guest breaks the rules.
        case hangUp
    }

    private let own: Greeting
    private(set) var state = State.awaitingGreeting

    init(own: Greeting) { self.own = own }

    mutating func receive(_ frame: Frame) -> Action {
        switch (state, frame) {
        case (.awaitingGreeting, .hello(let guest)):
            if let reason = own.objection(to: guest) {
                state = .ended
                return .refuse(.refused(reason))
            }
            state = .awaitingCommand
            return .reply(.welcome(own))
        case (.awaitingCommand, .command(let command)):
            guard command.folder.hasPrefix("/") else {
                state = .ended
                return .refuse(.refused("the working folder \"\(command.folder)\" is not an absolute path"))
            }
            state = .running
            return .start(command)
        case (.running, .input(let bytes)): return .input(bytes)
        case (.running, .inputEnd): return .inputEnd
        case (.running, .cancel): return .cancel
        default:
            state = .ended
            return .hangUp
        }
    }
}

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

extension Greeting {
    /// Why an owner with this greeting cannot serve a guest with that one, for the guest to read; `nil` when it can.
    func objection(to guest: Greeting) -> String? {
        guard guest.protocol != `protocol` || guest.version != version else { return nil }
        return "process \(process), which owns Sotto's data, is Sotto \(version) (messages \(`protocol`)), and this is Sotto \(guest.version) "
            + "(messages \(guest.protocol)); end process \(process) and start it again with the newer program"
    }
}
