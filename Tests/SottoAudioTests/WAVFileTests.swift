import Foundation
import Glibc
import SottoAudio
import Testing

private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path

private let corpus = ProcessInfo.processInfo.environment["SOTTO_CORPORA"]

private func little(_ value: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

private func riff(_ chunks: [(tag: String, size: Int, bytes: [UInt8])]) -> [UInt8] {
    Array("RIFF".utf8) + little(0, 4) + Array("WAVE".utf8) + chunks.flatMap { Array($0.tag.utf8) + little($0.size, 4) + $0.bytes }
}

private func format(kind: Int = 1, channels: Int = 1, rate: Int = 16_000, bits: Int = 16, block: Int? = nil) -> [UInt8] {
    let block = block ?? channels * bits / 8
    return little(kind, 2) + little(channels, 2) + little(rate, 4) + little(rate * block, 4) + little(block, 2) + little(bits, 2)
}

@Suite struct WAVFileTests {
    /// The first samples as `sox FILE -t f32 -` gives them.
    @Test(arguments: [
        ("u8", [0.0234375, 0.0546875, 0.234375, 0.453125, 0.453125, 0.703125, 0.609375, 0.6015625]),
        ("s16", [0.0256042, 0.0530396, 0.2359619, 0.451355, 0.4529419, 0.7033997, 0.6084595, 0.6007996]),
        ("s24", [0.0255973, 0.0530534, 0.2359711, 0.451355, 0.4529508, 0.7033955, 0.6084515, 0.6007863]),
        ("s32", [0.0255973, 0.0530534, 0.235971, 0.4513549, 0.4529508, 0.7033954, 0.6084515, 0.6007863]),
        ("f32", [0.0255973, 0.0530534, 0.235971, 0.4513549, 0.4529508, 0.7033954, 0.6084515, 0.6007863]),
        ("f64", [0.0255973, 0.0530534, 0.235971, 0.4513549, 0.4529508, 0.7033954, 0.6084515, 0.6007863]),
        ("ext24", [0.0255973, 0.0530534, 0.2359711, 0.451355, 0.4529508, 0.7033955, 0.6084515, 0.6007863]),
    ] as [(String, [Float])])
    func readsWhatSoxReads(name: String, expected: [Float]) throws {
        let file = try WAVFile(path: "\(fixtures)/\(name).wav")
        #expect(file.sampleRate == 8000)
        #expect(file.channels == 2)
        #expect(file.interleaved.count == 64)
        for (sample, truth) in zip(file.interleaved, expected) { #expect(abs(sample - truth) < 2e-7) }
        #expect(file.mono().samples[0] == (file.interleaved[0] + file.interleaved[1]) / 2)
    }

    @Test("a chunk of odd size is followed by a filling byte")
    func oddChunks() throws {
        let file = try WAVFile(
            bytes: riff([("odd ", 3, [1, 2, 3, 0]), ("fmt ", 16, format()), ("note", 1, [7, 0]), ("data", 4, [0, 0x40, 0, 0xC0])]))
        #expect(file.interleaved == [0.5, -0.5])
    }

    @Test("a data chunk whose length was never filled in reaches to the end", arguments: [0, 0xFFFF_FFFF])
    func openEnded(size: Int) throws {
        let file = try WAVFile(bytes: riff([("fmt ", 16, format()), ("data", size, [0, 0x40, 0, 0xC0, 1])]))
        #expect(file.interleaved == [0.5, -0.5])
    }

    @Test("a 64-bit float that no 32-bit float can hold, or that is no number, reads as 0")
    func doublesOutOfRange() throws {
        let doubles: [Double] = [0.5, 1e300, .nan, -.infinity, 1e-300, -0.25]
        let bytes = doubles.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
        let file = try WAVFile(bytes: riff([("fmt ", 16, format(kind: 3, bits: 64)), ("data", bytes.count, bytes)]))
        #expect(file.interleaved == [0.5, 0, 0, 0, 0, -0.25])
    }

    @Test("an empty recording is empty, not an error")
    func empty() throws {
        #expect(try WAVFile(bytes: riff([("fmt ", 16, format()), ("data", 0, [])])).interleaved.isEmpty)
        #expect(try WAVFile(bytes: riff([("fmt ", 16, format()), ("data", 0, []), ("LIST", 4, [1, 2, 3, 4])])).interleaved.isEmpty)
    }

    @Test(arguments: [
        ([], .notAudio), (Array("hello, this is text".utf8), .notAudio), (riff([]), .notAudio),
        (riff([("data", 2, [0, 0])]), .notAudio), (riff([("fmt ", 16, format())]), .truncated),
        (riff([("fmt ", 8, little(1, 8))]), .truncated), (riff([("fmt ", 40, format())]), .truncated),
        (riff([("fmt ", 16, format()), ("data", 1000, [0, 0])]), .truncated), (riff([("fmt ", 16, format()), ("data", 3, [0, 0, 0])]), .truncated),
        (riff([("fmt ", 16, format(kind: 7, bits: 8)), ("data", 2, [0, 0])]), .unsupportedFormat),
        (riff([("fmt ", 16, format(bits: 12, block: 2)), ("data", 2, [0, 0])]), .unsupportedFormat),
        (riff([("fmt ", 16, format(channels: 0)), ("data", 2, [0, 0])]), .notAudio),
        (riff([("fmt ", 16, format(rate: 0)), ("data", 2, [0, 0])]), .notAudio),
        (riff([("fmt ", 16, format(block: 3)), ("data", 2, [0, 0])]), .notAudio),
    ] as [([UInt8], AudioError.Code)])
    func damagedFilesAreRefused(bytes: [UInt8], code: AudioError.Code) {
        let error = #expect(throws: AudioError.self) { try WAVFile(bytes: bytes) }
        #expect(error?.code == code)
    }

    @Test("every prefix of a file, and every single changed byte, gives a file or an error, never a crash")
    func fuzz() throws {
        for name in ["s16", "ext24", "f32", "f64"] {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(fixtures)/\(name).wav")))
            for length in 0..<bytes.count {
                #expect(throws: AudioError.self) { try WAVFile(bytes: Array(bytes[..<length])) }
            }
            for index in bytes.indices {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = bytes
                    changed[index] = value
                    if let file = try? WAVFile(bytes: changed) {
                        #expect(file.interleaved.allSatisfy { $0.isFinite })
                        #expect(file.interleaved.count % file.channels == 0)
                    }
                }
            }
        }
    }

    @Test("what is written is read back, clipped, and readable by its owner only")
    func roundTrip() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-wav-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/take.wav"
        try WAVFile.write(AudioBuffer(samples: [0, 0.5, -0.25, 2, -2, .nan], sampleRate: 16_000), to: path)
        #expect(try WAVFile(path: path).mono() == AudioBuffer(samples: [0, 0.5, -0.25, 32767 / 32768, -1, 0], sampleRate: 16_000))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let before = try Data(contentsOf: URL(filePath: path))
        try WAVFile.write(try WAVFile(path: path).mono(), to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["take.wav"])
    }

    @Test("a file that cannot be put in place leaves nothing behind")
    func failedWrite() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-wav-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/taken", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let audio = AudioBuffer(samples: [0], sampleRate: 8000)
        #expect(#expect(throws: AudioError.self) { try WAVFile.write(audio, to: folder + "/taken") }?.code == .notWritable)
        #expect(#expect(throws: AudioError.self) { try WAVFile.write(audio, to: folder + "/no/take.wav") }?.code == .notWritable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["taken"])
    }

    @Test("a pipe, like any device, is never replaced by a file, and reading one does not wait")
    func pipes() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-wav-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
        let audio = AudioBuffer(samples: [0], sampleRate: 8000)
        #expect(#expect(throws: AudioError.self) { try WAVFile.write(audio, to: folder + "/pipe") }?.code == .notWritable)
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: folder + "/pipe") }?.code == .notReadable)
        var status = stat()
        #expect(unsafe lstat(folder + "/pipe", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFIFO)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["pipe"])
    }

    @Test("a link is read and written through, and stays a link")
    func links() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-wav-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try WAVFile.write(AudioBuffer(samples: [0.5], sampleRate: 8000), to: folder + "/real.wav")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.wav", withDestinationPath: "real.wav")
        #expect(try WAVFile(path: folder + "/link.wav").mono().samples == [0.5])
        try WAVFile.write(AudioBuffer(samples: [0.25], sampleRate: 8000), to: folder + "/link.wav")
        #expect(try WAVFile(path: folder + "/real.wav").mono().samples == [0.25])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link.wav") == "real.wav")
    }

    @Test("broken files of other projects are refused, empty ones are empty", .enabled(if: corpus != nil, "needs SOTTO_CORPORA"))
    func brokenFiles() throws {
        let folder = (corpus ?? "") + "/speech/no-speech/dev"
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: folder + "/aeneas-invalid.wav") }?.code == .truncated)
        #expect(try WAVFile(path: folder + "/aeneas-zero-frames.wav") == WAVFile(sampleRate: 44_100, channels: 1, interleaved: []))
        #expect(try WAVFile(path: folder + "/ps-null.wav") == WAVFile(sampleRate: 16_000, channels: 1, interleaved: []))
    }

    @Test func missingFilesAndFolders() {
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: "") }?.code == .notReadable)
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: fixtures + "/s16.wav\0.txt") }?.code == .notReadable)
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: "/dev/zero") }?.code == .notReadable)
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: "/nowhere/at/all.wav") }?.code == .notReadable)
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: fixtures) }?.code == .notReadable)
        #expect(#expect(throws: AudioError.self) { try WAVFile(path: fixtures + "/s16.wav", limit: 10) }?.code == .tooLong)
    }
}
