import Foundation
import SottoServing

extension WebSocketSession {
    /// Sends a value as a text message of JSON, waiting for room.
    ///
    /// - Throws: As ``send(_:)``, and `EncodingError`.
    func send(json value: some Encodable) async throws { try await send(.text(try Self.text(value))) }

    /// The same if there is room for it now.
    ///
    /// - Returns: Whether it was taken.
    /// - Throws: As ``offer(_:)``, and `EncodingError`.
    func offer(json value: some Encodable) throws -> Bool { try offer(.text(try Self.text(value))) }

    private static func text(_ value: some Encodable) throws -> String { String(decoding: try JSONEncoder().encode(value), as: UTF8.self) }
}
