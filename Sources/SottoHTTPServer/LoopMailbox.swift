internal import CWebsockets
internal import Synchronization

/// What other threads ask the loop's thread to do.
final class LoopMailbox: Sendable {
    enum Command: Sendable {
        case output(UInt64)
        case room(UInt64)
        case abort(UInt64)
        /// Listen no more, and end connections as they become idle.
        case stop
        case abortAll
    }

    private struct State {
        var commands: [Command] = []
        /// The library's context while there is one; an address, because a pointer may not cross threads.
        var context: UInt = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    func post(_ command: Command) {
        state.withLock { state in
            guard state.isClosed == false else { return }
            let isFirst = state.commands.isEmpty
            state.commands.append(command)
            // The one call of the library that any thread may make (lws-misc.h). Inside the lock, so that the context cannot go meanwhile.
            if isFirst, let context = unsafe OpaquePointer(bitPattern: state.context) { unsafe lws_cancel_service(context) }
        }
    }

    /// Ends the loop's wait for events without a command.
    func wake() {
        state.withLock { state in
            if let context = unsafe OpaquePointer(bitPattern: state.context) { unsafe lws_cancel_service(context) }
        }
    }

    func take() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    func open(_ context: OpaquePointer) {
        state.withLock { state in
            state.context = UInt(bitPattern: context)
            if state.commands.isEmpty == false { unsafe lws_cancel_service(context) }
        }
    }

    func close() {
        state.withLock { state in
            state.context = 0
            state.commands = []
            state.isClosed = true
        }
    }
}
