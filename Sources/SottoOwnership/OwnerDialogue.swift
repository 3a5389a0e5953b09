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
