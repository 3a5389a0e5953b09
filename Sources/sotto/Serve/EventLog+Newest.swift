import SottoServing

extension EventLog {
    /// Publishes the newest of many values while work goes on, no more often than people can see; those between are dropped.
    ///
    /// - Parameters:
    ///   - name: Of the events.
    ///   - interval: Between two of them.
    ///   - body: The work; it tells how far it is as often as it likes, from any thread.
    /// - Returns: What `body` does, once the last value is published or dropped.
    nonisolated func publishingNewest<Value: Encodable & Sendable, Result>(
        _ name: String, of type: Value.Type, every interval: Duration = .milliseconds(250),
        _ body: (@escaping @Sendable (Value) -> Void) async -> Result
    ) async -> Result {
        let (values, teller) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        async let told: Void = {
            for await value in values {
                // Values of ours always encode.
                _ = try? await self.publish(name, value)
                try? await Task.sleep(for: interval)
            }
        }()
        let result = await body { teller.yield($0) }
        teller.finish()
        await told
        return result
    }
}
