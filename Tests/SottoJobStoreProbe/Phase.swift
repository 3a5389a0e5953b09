import Foundation
import Glibc
import SottoJobStore
import Synchronization

/// Where a process is, in a file that is mapped and so survives its kill: what a harness aims at, and what it counts.
enum Phase {
    static let opening: Int64 = 1
    static let takingOver: Int64 = 2
    static let claiming: Int64 = 3
    static let between: Int64 = 4
    static let completing: Int64 = 5
    static let adding: Int64 = 6
    static func inside(_ step: Int) -> Int64 { 100 + Int64(step) }
    static func starting(_ step: Int) -> Int64 { 200 + Int64(step) }
    static func keeping(_ step: Int) -> Int64 { 300 + Int64(step) }

    /// Whether a transaction is being written.
    static func isCommit(_ phase: Int64) -> Bool { phase >= 200 || [claiming, completing, adding].contains(phase) }

    static func name(_ phase: Int64) -> String {
        switch phase {
        case 0: "start"
        case opening: "open"
        case takingOver: "take over"
        case claiming: "commit claim"
        case between: "between"
        case completing: "commit result"
        case adding: "commit add"
        case 100..<200: "step \(phase - 100)"
        case 200..<300: "commit start of step \(phase - 200)"
        default: "commit step \(phase - 300)"
        }
    }
}

/// The mapped file: the phase, and since when on the monotonic clock.
///
/// `@unchecked`: words of eight bytes that one process writes, each whole; readers are other processes.
@safe final class PhaseFile: @unchecked Sendable {
    private let words: UnsafeMutablePointer<Int64>
    private let target: Int64
    private let delay: Int
    private let isAimed = Atomic<Bool>(false)
    private let shot = DispatchSemaphore(value: 0)
    private let seen = Mutex<[(phase: Int64, time: Int64)]>([])

    /// - Parameter kill: `PHASE:MICROSECONDS`: the process kills itself that long after it first enters the phase.
    init(path: String, kill: String?) {
        let parts = (kill ?? "").split(separator: ":").compactMap { Int64($0) }
        (target, delay) = parts.count == 2 ? (parts[0], Int(parts[1])) : (-1, 0)
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        ftruncate(descriptor, 16)
        guard descriptor >= 0, let memory = unsafe mmap(nil, 16, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), unsafe memory != MAP_FAILED else {
            fatalError("cannot map \(path)")
        }
        close(descriptor)
        unsafe words = memory.assumingMemoryBound(to: Int64.self)
        if target >= 0 {
            // Made before it is needed: a thread takes longer to start than a commit takes.
            Thread.detachNewThread { [shot, delay] in
                shot.wait()
                if delay > 0 { usleep(useconds_t(delay)) }
                kill_(getpid(), SIGKILL)
            }
        }
    }

    func enter(_ phase: Int64) {
        let now = monotonic()
        unsafe words[1] = now
        unsafe words[0] = phase
        seen.withLock { $0.append((phase, now)) }
        if phase == target, isAimed.exchange(true, ordering: .relaxed) == false { shot.signal() }
    }

    /// The median of the stays in each phase, in microseconds.
    func durations() -> [String: Int64] {
        let all = seen.withLock { $0 }
        var stays: [String: [Int64]] = [:]
        for (entry, next) in zip(all, all.dropFirst()) { stays["\(entry.phase)", default: []].append((next.time - entry.time) / 1_000) }
        return stays.mapValues { $0.sorted()[$0.count / 2] }
    }

    static func read(_ path: String) -> (phase: Int64, time: Int64) {
        guard let data = FileManager.default.contents(atPath: path), data.count >= 16 else { return (0, 0) }
        return unsafe data.withUnsafeBytes { (unsafe $0.loadUnaligned(as: Int64.self), unsafe $0.loadUnaligned(fromByteOffset: 8, as: Int64.self)) }
    }

    static func clear(_ path: String) {
        _ = FileManager.default.createFile(atPath: path, contents: Data(count: 16))
    }
}

private func kill_(_ process: pid_t, _ signal: Int32) { kill(process, signal) }

/// Nanoseconds on CLOCK_MONOTONIC, the same for all processes.
func monotonic() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Lines that are on the disk when `write` returns: what a step did to the world outside.
struct SideFile {
    let path: String

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            fatalError("cannot write \(path)")
        }
        close(descriptor)
    }

    func lines() -> [[String]] {
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }
}
