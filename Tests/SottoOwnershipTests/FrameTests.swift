import SottoObservability
import Testing

@testable import SottoOwnership

@Suite struct FrameTests {
    static let all: [Frame] = [
        .hello(Greeting(version: "1.2", process: 7)), .welcome(Greeting(protocol: 9, version: "é", process: 1)), .refused("no"),
        .command(GuestCommand(arguments: ["ask", "ä \" \n", ""], folder: "/tmp/ü", zone: "Europe/Berlin")), .input([0, 255, 10]), .input([]), .inputEnd,
        .cancel, .output(Array("x\n".utf8)), .note("note"), .problem("p"), .progress(Progress(phase: "Reading", item: "a", completed: 1, total: 2)),
        .progress(Progress(phase: "Planning")), .wantInput, .alive, .exit(0), .exit(130), .exit(-1),
    ]

    private func decode(_ bytes: [UInt8], by size: Int) throws -> [Frame] {
        var decoder = FrameDecoder()
        var frames: [Frame] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            decoder.append(bytes[start..<min(start + size, bytes.count)])
            while let frame = try decoder.next() { frames.append(frame) }
        }
        #expect(decoder.isInsideFrame == false)
        return frames
    }

    @Test("every frame comes back, however the bytes are cut", arguments: [1, 2, 3, 5, 64, 100_000])
    func roundTrip(size: Int) throws {
        let bytes = try Self.all.flatMap { try $0.encoded() }
        #expect(try decode(bytes, by: size) == Self.all)
    }

    @Test("the bytes on the wire are as written down: length, kind, payload")
    func wire() throws {
        #expect(try Frame.exit(2).encoded() == [0, 0, 0, 5, 73, 0, 0, 0, 2])
        #expect(try Frame.cancel.encoded() == [0, 0, 0, 1, 5])
        #expect(try Frame.note("hé").encoded() == [0, 0, 0, 4, 68, 0x68, 0xC3, 0xA9])
    }

    @Test("what no version sends is refused before it is kept", arguments: [
        [0, 0, 0, 0], [255, 255, 255, 255], [0, 16, 0, 1, 3], [0, 0, 0, 1, 99], [0, 0, 0, 2, 5, 1], [0, 0, 0, 4, 73, 0, 0, 0], [0, 0, 0, 3, 1, 0x7B, 0x7D],
        Array("GET / HTTP/1.1\r\n".utf8),
    ])
    func refused(bytes: [UInt8]) {
        var decoder = FrameDecoder()
        decoder.append(bytes)
        let error = #expect(throws: OwnershipError.self) { try decoder.next() }
        #expect(error?.code == .badMessage)
    }

    @Test("half a frame is known to be half")
    func half() throws {
        let bytes = try Frame.note("half").encoded()
        for count in 1..<bytes.count {
            var decoder = FrameDecoder()
            decoder.append(bytes[..<count])
            #expect(try decoder.next() == nil)
            #expect(decoder.isInsideFrame)
        }
    }

    @Test("garbage ends in an error or in waiting, never in a crash")
    func garbage() {
        var state: UInt64 = 7
        for _ in 0..<2000 {
            var decoder = FrameDecoder()
            decoder.append(
                (0..<40).map { index in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    // Short lengths, so that payloads are read too.
                    return index < 3 ? 0 : index == 3 ? UInt8(state >> 60) : UInt8(truncatingIfNeeded: state >> 33)
                })
            do { while try decoder.next() != nil {} } catch { #expect(error.code == .badMessage) }
        }
    }

    @Test("a frame that is too long is refused by its sender")
    func tooLong() throws {
        #expect(try Frame.input([UInt8](repeating: 1, count: Frame.maximumLength - 1)).encoded().count == Frame.maximumLength + 4)
        #expect(throws: OwnershipError.self) { try Frame.input([UInt8](repeating: 1, count: Frame.maximumLength)).encoded() }
    }
}

@Suite struct DialogueTests {
    private let owner = Greeting(version: "1", process: 10)
    private let guest = Greeting(version: "1", process: 20)
    private let command = GuestCommand(arguments: ["agents", "list"], folder: "/", zone: "UTC")

    @Test("greeting, command, input, cancel")
    func regular() {
        var dialogue = OwnerDialogue(own: owner)
        #expect(dialogue.receive(.hello(guest)) == .reply(.welcome(owner)))
        #expect(dialogue.receive(.command(command)) == .start(command))
        #expect(dialogue.receive(.input([1])) == .input([1]))
        #expect(dialogue.receive(.inputEnd) == .inputEnd)
        #expect(dialogue.receive(.cancel) == .cancel)
    }

    @Test("a guest that skips the greeting, greets twice or speaks as an owner is hung up on")
    func rude() {
        for frames: [Frame] in [[.command(command)], [.hello(guest), .hello(guest)], [.hello(guest), .cancel], [.hello(guest), .command(command), .exit(0)]] {
            var dialogue = OwnerDialogue(own: owner)
            var last = OwnerDialogue.Action.none
            for frame in frames { last = dialogue.receive(frame) }
            #expect(last == .hangUp)
            #expect(dialogue.receive(.hello(guest)) == .hangUp)
        }
    }

    @Test("another version is told which process to restart", arguments: [Greeting(version: "2", process: 20), Greeting(protocol: 2, version: "1", process: 20)])
    func otherVersion(guest: Greeting) {
        var dialogue = OwnerDialogue(own: owner)
        guard case .refuse(.refused(let reason)) = dialogue.receive(.hello(guest)) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("process 10"))
        var other = GuestDialogue(own: guest)
        let error = #expect(throws: OwnershipError.self) { try other.receive(.welcome(owner)) }
        #expect(error?.code == .otherVersion)
        #expect(error?.message.contains("process 10") == true)
    }

    @Test("a relative working folder means nothing to another process")
    func relativeFolder() {
        var dialogue = OwnerDialogue(own: owner)
        _ = dialogue.receive(.hello(guest))
        guard case .refuse = dialogue.receive(.command(GuestCommand(arguments: [], folder: "here", zone: "UTC"))) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("the guest shows what comes, and ends with the status")
    func guestSide() throws {
        var dialogue = GuestDialogue(own: guest)
        #expect(try dialogue.receive(.welcome(owner)) == .welcomed)
        dialogue = GuestDialogue(own: guest, state: .running)
        #expect(try dialogue.receive(.note("n")) == .show(.note("n")))
        #expect(try dialogue.receive(.alive) == .none)
        #expect(try dialogue.receive(.wantInput) == .sendInput)
        #expect(try dialogue.receive(.exit(3)) == .finish(3))
        #expect(throws: OwnershipError.self) { try dialogue.receive(.note("late")) }
    }
}
