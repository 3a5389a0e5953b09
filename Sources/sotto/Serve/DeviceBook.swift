import Foundation
import SottoServing
import Synchronization

/// The browsers that were let in, kept over restarts, and the codes that let one in.
final class DeviceBook: Sendable {
    /// A browser that was let in.
    struct Device: Sendable, Codable, Equatable {
        var id: String
        /// As it calls itself.
        var name: String
        var created: Date
        var lastSeen: Date
        var end: Date
        /// What its cookie says.
        var secret: String
    }

    private struct State {
        var devices: [Device] = []
        var codes = Sessions()
        var written = Date.distantPast
    }

    /// How long a browser that is never used stays signed in.
    static let lifetime = Duration.seconds(90 * 86_400)
    static let codeLifetime = Duration.seconds(120)
    /// More are not kept: the one that was seen least lately goes.
    private static let most = 64
    /// When a browser was last seen is written no more often.
    private static let writeInterval: TimeInterval = 600

    private let path: String
    private let now: @Sendable () -> Date
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    /// - Parameter path: Of the file that holds them, for this user alone. One that cannot be read signs everybody out.
    init(path: String, now: @escaping @Sendable () -> Date) {
        self.path = path
        self.now = now
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let devices = FileManager.default.contents(atPath: path).flatMap { try? decoder.decode([Device].self, from: $0) } ?? []
        state = Mutex(State(devices: devices.filter { $0.end > now() }))
    }

    var all: [Device] { state.withLock { $0.devices } }

    /// A code that lets one browser in, within two minutes.
    func makeCode() -> String {
        state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            return state.codes.makeCode(validFor: Self.codeLifetime, at: ContinuousClock.now - start, using: &generator)
        }
    }

    /// Exchanges a code for a cookie's value; the code is used up.
    ///
    /// - Returns: `nil` for a code that is wrong, used or too old.
    /// - Throws: ``CommandError`` when the browser cannot be kept.
    func redeem(_ code: String, name: String) throws -> String? {
        try state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            let secret = state.codes.redeem(code, at: ContinuousClock.now - start, using: &generator)
            guard let secret else { return nil }
            let moment = now()
            let id = String(UUID().uuidString.prefix(8)).lowercased()
            let end = moment.addingTimeInterval(Double(Self.lifetime.components.seconds))
            state.devices.append(Device(id: id, name: name, created: moment, lastSeen: moment, end: end, secret: secret))
            while state.devices.count > Self.most, let oldest = state.devices.min(by: { $0.lastSeen < $1.lastSeen }) {
                state.devices.removeAll { $0.id == oldest.id }
            }
            try write(&state)
            return secret
        }
    }

    /// Whether that is a living browser's cookie; seen now, if so.
    func isLiving(_ cookie: String) -> Bool { device(of: cookie) != nil }

    /// The browser of a cookie.
    func device(of cookie: String) -> Device? {
        state.withLock { state in
            let moment = now()
            // Every one is compared, so that the time does not tell which.
            let found = state.devices.indices.filter { Secret(state.devices[$0].secret).matches(cookie) && state.devices[$0].end > moment }
            guard let index = found.first else { return nil }
            state.devices[index].lastSeen = moment
            // Without the disk it is seen all the same.
            if moment.timeIntervalSince(state.written) > Self.writeInterval { try? write(&state) }
            return state.devices[index]
        }
    }

    /// Signs one out.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``CommandError`` when that cannot be kept; it is signed out until the next start.
    func remove(_ id: String) throws -> Bool {
        try state.withLock { state in
            let before = state.devices.count
            state.devices.removeAll { $0.id == id }
            guard state.devices.count < before else { return false }
            try write(&state)
            return true
        }
    }

    /// Signs all out and forgets the codes; the file is somebody else's to erase.
    func forgetAll() {
        state.withLock { state in
            state.devices = []
            state.codes = Sessions()
        }
    }

    private func write(_ state: inout State) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard PrivateFile.write(try encoder.encode(state.devices), to: path) else {
            throw CommandError("\(path) cannot be written; free some space, or check who owns its folder")
        }
        state.written = now()
    }
}
