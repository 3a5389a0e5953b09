import SottoServing

extension App {
    var speakingRoutes: [Route] {
        [
            .webSocket("/api/speak", rules: WebSocketRules(maximumMessageBytes: 1 << 20, waitingMessages: 16, takesBinary: false)) { _, session in
                try await Speaking(app: self, session: session).run()
            }
        ]
    }
}
