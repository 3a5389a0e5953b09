import SottoStreams
import Testing

@Suite struct ChannelTests {
    @Test("elements arrive in order and the sequence ends")
    func order() async throws {
        let numbers = ProducedSequence<Int>(capacity: 2) { emit in
            for number in 0..<100 { try await emit(number) }
        }
        var seen: [Int] = []
        for try await number in numbers { seen.append(number) }
        #expect(seen == Array(0..<100))
    }

    @Test("the producer's error reaches the reader after what was sent before it")
    func failure() async {
        struct Broken: Error {}
        let numbers = ProducedSequence<Int>(capacity: 4) { emit in
            try await emit(1)
            throw Broken()
        }
        var seen: [Int] = []
        await #expect(throws: Broken.self) {
            for try await number in numbers { seen.append(number) }
        }
        #expect(seen == [1])
    }

    @Test("a reader that goes away cancels the producer")
    func abandonment() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Int.self)
        let numbers = ProducedSequence<Int>(capacity: 1) { emit in
            var sent = 0
            defer {
                end.yield(sent)
                end.finish()
            }
            while true {
                try await emit(sent)
                sent += 1
            }
        }
        for try await number in numbers where number == 3 { break }
        var sent: Int?
        for await count in ended { sent = count }
        #expect(try #require(sent) <= 6)
    }

    @Test("cancelling the reading task throws and stops the producer")
    func cancellation() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let silent = ProducedSequence<Int> { _ in
                start.finish()
                try await Task.sleep(for: .seconds(600))
            }
            for try await _ in silent {}
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
