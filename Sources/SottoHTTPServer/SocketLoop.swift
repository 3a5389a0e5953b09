internal import CWebsockets
internal import Glibc
internal import SottoServing
internal import SottoStreams

/// Runs the library's event loop on a thread of its own, until there is nothing left to do.
actor SocketLoop {
    private let executor = BlockingExecutor(label: "sotto.server.loop")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Blocks its thread. Returns once the mailbox was told to stop and the last connection has ended.
    ///
    /// - Parameter begin: Called on the loop's thread for each new connection; must not block.
    func run(
        _ descriptors: [Int32], certificate: ServerCertificate?, limits: ServerLimits, mailbox: LoopMailbox, counters: ServerCounters,
        clock: any Clock<Duration>, begin: @escaping @Sendable (Connection) -> Void
    ) throws(ServingError) {
        sotto_lws_silence()
        let table = SocketTable(limits: limits, certificate: certificate, mailbox: mailbox, counters: counters, clock: clock, begin: begin)
        let context: LoopContext
        do { context = try LoopContext(table: table, limits: limits, isSecured: certificate != nil) } catch {
            for descriptor in descriptors { close(descriptor) }
            throw error
        }
        do { try unsafe table.listen(descriptors, on: context.vhost) } catch {
            mailbox.close()
            throw error
        }
        unsafe mailbox.open(context.pointer)
        while table.isDone == false, context.turn() {}
        // In this order: nobody may wake a context that is gone.
        mailbox.close()
        context.end()
    }
}
