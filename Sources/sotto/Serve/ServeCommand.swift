import Foundation
import SottoAgents
import SottoHTTPServer
import SottoObservability
import SottoServing
import SottoSubprocess

extension Command {
    private static let serveSpec = ArgumentSpec(
        """
        usage: sotto serve [--port N] [--open] [--lan]
               sotto serve --key
               sotto serve --routes

          --port N   the port of this machine to answer on (7780); when it is taken, the next that is free
          --lan      lets other devices of your network in as well, on the next port, over TLS; each is paired once (the setting "lan")
          --open     opens the app in the browser
          --key      prints the key for programs: Authorization: Bearer KEY
          --routes   prints all that the server answers, METHOD PATH in each line; openapi.json describes it

        The app's address works once, within two minutes; called again, a new one is printed. The server works on the queue too.
        Ctrl-C stops it and loses nothing.
        """, ["port": .value("a port"), "open": .flag, "lan": .flag, "key": .flag, "routes": .flag])

    static let serve = Command(
        name: "serve", summary: "the app in your browser, and the server behind it", spec: serveSpec,
        place: { $0.has("key") || $0.has("routes") ? .here : .newHost(ifServed: .forward) },
        run: { arguments, context in
            let usage = serveSpec.usage
            guard arguments.positional.isEmpty else { throw UsageError("serve takes no words", usage: usage) }
            if arguments.has("key") { return context.console.result(try ServerKey(path: context.places.serverKey).text()) }
            if arguments.has("routes") { return try App.routeLines(context).forEach { context.console.result($0) } }
            guard let lock = context.lock else {
                // A guest's: the host serves already.
                guard let address = context.hosting?.appAddress?() else {
                    throw CommandError("a process works on the queue without the app; end it (sotto agents run), then: sotto serve")
                }
                context.console.note("Sotto is served already, by process \(ProcessInfo.processInfo.processIdentifier)")
                return context.console.result(address)
            }
            guard let port = Int(arguments.value("port") ?? "7780"), (0...65_535).contains(port) else {
                throw UsageError("--port is a number from 1 to 65535", usage: usage)
            }
            try await AppServer(
                context: context, lock: lock, port: port, opens: arguments.has("open"), isOpenToNetwork: arguments.has("lan") || context.settings.lan
            ).run()
        })
}
