import Dispatch
import Glibc
import SottoFetching
import Synchronization

/// The system's own resolver.
///
/// `getaddrinfo` cannot be interrupted: a lookup that is given up goes on in a thread of its own and its answer is dropped.
struct SystemResolver: Resolving {
    func addresses(of host: String, within limit: Duration) async throws -> [IPAddress] {
        let answer = Answer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.expect(continuation)
                let queue = DispatchQueue.global(qos: .userInitiated)
                queue.async { answer.give(Self.look(up: host)) }
                let error = FetchError(.nameNotFound, "the name \(host) was not found in time; check the network connection")
                queue.asyncAfter(deadline: .now() + limit / .seconds(1)) { answer.give(.failure(error)) }
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
    }

    /// The first answer counts: found, too late or cancelled.
    private final class Answer: Sendable {
        private enum State {
            case open
            case expected(CheckedContinuation<[IPAddress], any Error>)
            case given(Result<[IPAddress], any Error>)
            case done
        }
        private let state = Mutex(State.open)

        func expect(_ continuation: CheckedContinuation<[IPAddress], any Error>) {
            let early: Result<[IPAddress], any Error>? = state.withLock { state in
                if case .given(let result) = state {
                    state = .done
                    return result
                }
                state = .expected(continuation)
                return nil
            }
            if let early { continuation.resume(with: early) }
        }

        func give(_ result: Result<[IPAddress], any Error>) {
            let continuation: CheckedContinuation<[IPAddress], any Error>? = state.withLock { state in
                switch state {
                case .open: state = .given(result)
                case .expected(let continuation):
                    state = .done
                    return continuation
                case .given, .done: break
                }
                return nil
            }
            continuation?.resume(with: result)
        }
    }

    private static func look(up host: String) -> Result<[IPAddress], any Error> {
        var hints = unsafe addrinfo()
        // SOCK_STREAM: its name belongs to whichever C module of this target was loaded first, so it cannot be relied on.
        unsafe hints.ai_socktype = 1
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &list)
        defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
        guard status == 0 else {
            let reason = unsafe String(cString: gai_strerror(status))
            return .failure(FetchError(.nameNotFound, "the name \(host) is not known (\(reason)); check its spelling and the network connection"))
        }
        var result: [IPAddress] = []
        var entry = unsafe list
        while let current = unsafe entry {
            if let address = unsafe current.pointee.ai_addr, let found = unsafe IPAddress.from(address), result.contains(found.address) == false {
                result.append(found.address)
            }
            unsafe entry = current.pointee.ai_next
        }
        guard result.isEmpty == false else { return .failure(FetchError(.nameNotFound, "the name \(host) has no address")) }
        return .success(result)
    }
}
