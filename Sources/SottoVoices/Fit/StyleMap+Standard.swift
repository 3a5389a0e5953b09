internal import Foundation

extension StyleMap {
    /// The map for Kokoro-82M int8 with its five voices and the GE2E encoder; `nil` when the program is damaged.
    public static let standard: StyleMap? = Data(base64Encoded: standardBase64).flatMap { StyleMap(bytes: [UInt8]($0)) }
}
