import Foundation
import SottoAudio
import SottoMediaFiles
import Testing

@Suite final class MediaEncoderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-encoder-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func wav() throws -> (path: String, samples: [Float]) {
        let samples = (0..<24_000).map { index -> Float in Float(sin(Double(index) * 880 * Double.pi / 24_000)) * 0.4 }
        let path = folder.appending(path: "tone.wav").path
        var writer = try WAVWriter(path: path, sampleRate: 24_000)
        try writer.append(AudioBuffer(samples: samples, sampleRate: 24_000))
        try writer.finish()
        return (path, samples)
    }

    @Test("the ending of a name tells the format", arguments: [
        ("a.wav", MediaEncoder.Format.wav), ("A.OPUS", .opus), ("x/y.ogg", .opus), ("b.flac", .flac), ("c.mp3", nil), ("wav", nil), ("", nil),
    ])
    func format(name: String, format: MediaEncoder.Format?) {
        #expect(MediaEncoder.Format(fileName: name) == format)
    }

    @Test("FLAC gives back every sample, Opus the tone", arguments: [MediaEncoder.Format.flac, .opus])
    func roundTrip(format: MediaEncoder.Format) async throws {
        let (path, samples) = try wav()
        let goal = folder.appending(path: "tone.\(format.rawValue)").path
        try await MediaEncoder().encode(path, as: format, to: goal)
        let back = try await MediaDecoder(sampleRate: 24_000).read(goal)
        #expect(abs(back.samples.count - samples.count) < 1000)
        if format == .flac {
            #expect(zip(back.samples, samples).allSatisfy { abs($0 - $1) < 0.001 })
        } else {
            let power = back.samples.reduce(0) { $0 + $1 * $1 } / Float(back.samples.count)
            #expect(abs(power - 0.08) < 0.02)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: goal)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["tone.\(format.rawValue)", "tone.wav"].sorted())
    }

    /// Vorbis comments, which both containers use, stand in plain UTF-8 (RFC 7845 §5.2, RFC 9639 §8.6).
    @Test("what the file says of itself is in its metadata", arguments: [MediaEncoder.Format.flac, .opus])
    func comment(format: MediaEncoder.Format) async throws {
        let goal = folder.appending(path: "said.\(format.rawValue)").path
        try await MediaEncoder().encode(try wav().path, as: format, to: goal, comment: "Synthetic speech; made=here")
        let bytes = try Data(contentsOf: URL(filePath: goal))
        let found = ["comment=", "COMMENT=", "DESCRIPTION=", "description="].contains { bytes.range(of: Data(($0 + "Synthetic speech; made=here").utf8)) != nil }
        #expect(found)
        try await MediaEncoder().encode(try wav().path, as: format, to: goal)
        #expect(try Data(contentsOf: URL(filePath: goal)).range(of: Data("Synthetic".utf8)) == nil)
    }

    @Test("what is no WAV, or cannot be written, is a clear error and leaves nothing")
    func errors() async throws {
        let bad = folder.appending(path: "bad.wav").path
        try Data("no sound".utf8).write(to: URL(filePath: bad))
        await #expect(throws: MediaError.self) { try await MediaEncoder().encode(bad, as: .flac, to: folder.appending(path: "x.flac").path) }
        let (path, _) = try wav()
        await #expect(throws: MediaError.self) { try await MediaEncoder().encode(path, as: .flac, to: "/no/such/folder/x.flac") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["bad.wav", "tone.wav"])
    }
}
