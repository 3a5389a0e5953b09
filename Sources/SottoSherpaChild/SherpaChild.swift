internal import CLinux
internal import Foundation
internal import Glibc
import SottoSherpaProtocol

/// The child process: reads requests from standard input, works on them one after another, answers on standard output.
///
/// It ends when its input ends, whatever it is doing: a parent that died leaves nothing behind. What the library prints goes to
/// standard error, where the parent looks when the library ends the process.
public struct SherpaChild {
    private enum Engine {
        case none
        case streaming(StreamingEngine)
        case utterances(UtteranceEngine)
        case speech(SpeechEngine)
    }

    private let library: String
    private let output: Int32
    private let queue = RequestQueue()

    /// - Parameter library: The folder that holds sherpa-onnx and the ONNX Runtime that it needs.
    public init(library: String) {
        self.library = library
        // Whatever prints to standard output from here on cannot break a message.
        output = dup(1)
        _ = dup2(2, 1)
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Works until it is told to end, or nobody is there any more.
    public func run() -> Never {
        let queue = queue
        Thread.detachNewThread { Self.read(into: queue) }
        var engine = Engine.none
        var opened: SherpaLibrary?
        while true {
            let frame = queue.next()
            do {
                try work(frame, &engine, &opened)
            } catch let failure as SherpaFailure {
                send(failure: failure, to: frame.request)
            } catch let error as SherpaProtocolError {
                send(failure: SherpaFailure(.badRequest, error.message), to: frame.request)
            } catch {
                send(failure: SherpaFailure(.engineFailed, "\(error)"), to: frame.request)
            }
        }
    }

    private static func read(into queue: RequestQueue) {
        var reader = SherpaFrameReader()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(0, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // The parent is gone, or will never say anything more: what it asked for matters to nobody.
            guard count > 0 else { _exit(0) }
            reader.append(buffer[..<count])
            do {
                while let frame = try reader.next() {
                    switch frame.kind {
                    case .cancel: queue.cancel(try frame.cancelledRequest())
                    case .quit: _exit(0)
                    default: queue.put(frame)
                    }
                }
            } catch {
                say("the requests cannot be understood: \(error)")
                _exit(65)
            }
        }
    }

    private func work(_ frame: SherpaFrame, _ engine: inout Engine, _ opened: inout SherpaLibrary?) throws {
        switch frame.kind {
        case .describe:
            let greeting = try frame.value(SherpaGreeting.self)
            guard greeting.version == SherpaFrame.version else {
                throw SherpaFailure(
                    .badRequest, "Sotto speaks version \(greeting.version) and its sherpa host \(SherpaFrame.version); install both of one release")
            }
            let library = try opened ?? SherpaLibrary(folder: library)
            opened = library
            try send(SherpaFrame(.described, request: frame.request, json: SherpaGreeting(library: SherpaLibrary.version)))
        case .load:
            guard let library = opened else { throw SherpaFailure(.badRequest, "a describe is needed first") }
            let load = try frame.value(SherpaLoad.self)
            for (role, path) in load.model.files where role != "type" {
                if unsafe access(path, R_OK) == 0 { continue }
                throw SherpaFailure(.modelRefused, "the model's file \(path) cannot be read")
            }
            guard (1...64).contains(load.threads) else {
                throw SherpaFailure(.badRequest, "\(load.threads) threads were asked for; 1 to 64 are possible")
            }
            engine = .none
            let loaded: SherpaLoaded
            if load.model.family.isStreaming {
                let made = try StreamingEngine(library: library, load: load)
                (engine, loaded) = (.streaming(made), made.loaded)
            } else if load.model.family.isSynthesizer {
                let made = try SpeechEngine(library: library, load: load)
                (engine, loaded) = (.speech(made), made.loaded)
            } else {
                let made = try UtteranceEngine(library: library, load: load)
                (engine, loaded) = (.utterances(made), made.loaded)
            }
            try send(SherpaFrame(.loaded, request: frame.request, json: loaded))
        case .begin, .feed, .flush, .finish: try hear(frame, engine)
        case .reference, .synthesize: try speak(frame, engine)
        default: throw SherpaFailure(.badRequest, "\"\(frame.kind)\" is no request")
        }
    }

    private func hear(_ frame: SherpaFrame, _ engine: Engine) throws {
        func emit(_ update: SherpaUpdate) throws { try send(SherpaFrame(.update, request: frame.request, json: update)) }
        let isCancelled = { queue.isStopped }
        switch (engine, frame.kind) {
        case (.streaming(let engine), .begin): try engine.begin()
        case (.streaming(let engine), .feed): try engine.feed(try frame.samples(), isCancelled: isCancelled, emit: emit)
        case (.streaming(let engine), .flush): try engine.flush(isCancelled: isCancelled, emit: emit)
        case (.streaming(let engine), _): try engine.finish(isCancelled: isCancelled, emit: emit)
        case (.utterances(let engine), .begin): engine.begin()
        case (.utterances(let engine), .feed): try engine.feed(try frame.samples())
        case (.utterances(let engine), _): try engine.flush(emit: emit)
        case (.speech, _): throw SherpaFailure(.notLoaded, "the model that is loaded speaks; it cannot hear")
        case (.none, _): throw SherpaFailure(.notLoaded, "no model is loaded")
        }
        try end(frame)
    }

    private func speak(_ frame: SherpaFrame, _ engine: Engine) throws {
        guard case .speech(let engine) = engine else { throw SherpaFailure(.notLoaded, "no model that speaks is loaded") }
        if frame.kind == .reference {
            try engine.refer(to: try frame.samples())
        } else {
            let (queue, request) = (queue, frame.request)
            try engine.synthesize(try frame.value(SherpaSpeech.self)) { samples in
                guard queue.isStopped == false else { return false }
                var position = 0
                while position < samples.count {
                    let end = min(position + SherpaFrame.maximumSamples, samples.count)
                    guard (try? send(SherpaFrame(.audio, request: request, samples: samples[position..<end]))) != nil else { return false }
                    position = end
                }
                return true
            }
        }
        try end(frame)
    }

    private func end(_ frame: SherpaFrame) throws {
        try send(SherpaFrame(queue.isStopped ? .cancelled : .done, request: frame.request))
    }

    private func send(failure: SherpaFailure, to request: UInt32) {
        do { try send(SherpaFrame(.failed, request: request, json: failure)) } catch {
            Self.say("an answer cannot be written: \(error)")
            _exit(74)
        }
    }

    private func send(_ frame: SherpaFrame) throws(SherpaProtocolError) {
        let bytes = try frame.encoded()
        var position = 0
        while position < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(output, buffer.baseAddress?.advanced(by: position), buffer.count - position)
            }
            if written < 0, errno == EINTR { continue }
            // Nobody reads: the parent is gone.
            guard written > 0 else { _exit(0) }
            position += written
        }
    }

    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { buffer in unsafe write(2, buffer.baseAddress, buffer.count) }
    }
}
