import SottoStreams
import SottoSubprocess
import Testing

@Suite struct FeedingTests {
    private func read(_ stream: ProducedSequence<[UInt8]>) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in stream { bytes += chunk }
        return bytes
    }

    @Test("what is fed bit by bit comes out whole, many megabytes too")
    func whole() async throws {
        let input = ProducedSequence<[UInt8]> { emit in
            for number in 0..<200 { try await emit([UInt8](repeating: UInt8(number), count: 50_000)) }
        }
        let output = try await read(Subprocess.stream(.init("cat", maximumOutput: .max), feeding: input))
        #expect(output.count == 10_000_000)
        #expect(output.enumerated().allSatisfy { Int($0.element) == $0.offset / 50_000 })
    }

    @Test("each piece can be answered before the next one is there")
    func dialogue() async throws {
        let answered = Channel<Int>(capacity: 4)
        let input = ProducedSequence<[UInt8]> { emit in
            for number in 0..<5 {
                try await emit([UInt8(48 + number), 10])
                // Only what has come back lets the next piece go.
                guard try await answered.next() == number else { return }
            }
        }
        var lines = 0
        for try await chunk in Subprocess.stream(.init("cat"), feeding: input) {
            #expect(chunk == [UInt8(48 + lines), 10])
            try await answered.send(lines)
            lines += 1
        }
        #expect(lines == 5)
    }

    @Test("a child that has read enough ends the stream, though more might still come")
    func early() async throws {
        let input = ProducedSequence<[UInt8]> { emit in
            try await emit(Array("first\nsecond\n".utf8))
            // Never comes back by itself.
            let never = Channel<Int>()
            _ = try await never.next()
        }
        #expect(try await read(Subprocess.stream(.init("head", ["-n", "1"]), feeding: input)) == Array("first\n".utf8))
    }

    @Test("an error of the input ends the child and is the stream's own")
    func failure() async throws {
        struct Unplugged: Error {}
        let input = ProducedSequence<[UInt8]> { emit in
            try await emit([1, 2, 3])
            throw Unplugged()
        }
        await #expect(throws: Unplugged.self) { try await read(Subprocess.stream(.init("cat"), feeding: input)) }
    }

    @Test("a cancel reaches the child and the input")
    func cancel() async throws {
        let begun = Channel<Bool>()
        let task = Task {
            let input = ProducedSequence<[UInt8]> { emit in
                while true { try await emit([UInt8](repeating: 0, count: 1000)) }
            }
            for try await _ in Subprocess.stream(.init("cat", maximumOutput: .max), feeding: input) { _ = try? await begun.send(true) }
        }
        _ = try await begun.next()
        begun.abandon()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
