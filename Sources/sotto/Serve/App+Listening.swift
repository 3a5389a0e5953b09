import SottoServing

extension App {
    var listeningRoutes: [Route] {
        [
            .webSocket("/api/listen", rules: WebSocketRules(maximumMessageBytes: 1 << 20, waitingMessages: 16)) { request, session in
                try await Listening(app: self, session: session, request: request).run()
            }
        ]
    }
}
