import Foundation
import Glibc
import SottoAudio
import Testing

@Suite struct WAVWriterTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-writer-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func names(_ folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    @Test("buffer by buffer makes the file that the whole makes, which appears only at the end, for its owner only")
    func pieces() throws {
        try withFolder { folder in
            let samples = (0..<1000).map { Float(sin(Double($0) / 7)) * 1.2 }
            var writer = try WAVWriter(path: folder + "/take.wav", sampleRate: 24_000)
            for start in stride(from: 0, to: 1000, by: 333) {
                try writer.append(AudioBuffer(samples: Array(samples[start..<min(start + 333, 1000)]), sampleRate: 24_000))
                #expect(FileManager.default.fileExists(atPath: folder + "/take.wav") == false)
            }
            try writer.append(AudioBuffer(samples: [], sampleRate: 24_000))
            #expect(writer.frames == 1000)
            try writer.finish()
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/take.wav")))
            #expect(bytes == (try WAVFile.encode(AudioBuffer(samples: samples, sampleRate: 24_000))))
            #expect(try names(folder) == ["take.wav"])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/take.wav")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    /// The layout: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0", LIST chunk.
    @Test("a comment stands behind the samples in a LIST chunk, and readers find the same samples", arguments: ["even", "odd one", ""])
    func comment(text: String) throws {
        try withFolder { folder in
            var writer = try WAVWriter(path: folder + "/take.wav", sampleRate: 8000, comment: text)
            try writer.append(AudioBuffer(samples: [0.5, -0.5, 0.25], sampleRate: 8000))
            try writer.finish()
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/take.wav")))
            func number(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
            #expect(number(4) == bytes.count - 8 && number(40) == 6)
            #expect(String(decoding: bytes[50..<54], as: UTF8.self) == "LIST" && number(54) == bytes.count - 58 && bytes.count.isMultiple(of: 2))
            #expect(String(decoding: bytes[58..<66], as: UTF8.self) == "INFOICMT" && number(66) == text.utf8.count + 1)
            #expect(Array(bytes[70..<(70 + text.utf8.count + 1)]) == Array(text.utf8) + [0])
            #expect(try WAVFile(path: folder + "/take.wav").mono().samples == [0.5, -0.5, 0.25])
        }
    }

    @Test("a writer without audio makes an empty recording")
    func empty() throws {
        try withFolder { folder in
            try WAVWriter(path: folder + "/take.wav", sampleRate: 8000).finish()
            #expect(try WAVFile(path: folder + "/take.wav") == WAVFile(sampleRate: 8000, channels: 1, interleaved: []))
        }
    }

    @Test("a writer that is dropped removes what it wrote and leaves what stood there")
    func dropped() throws {
        try withFolder { folder in
            let old = AudioBuffer(samples: [0.5], sampleRate: 8000)
            try WAVFile.write(old, to: folder + "/take.wav")
            do {
                var writer = try WAVWriter(path: folder + "/take.wav", sampleRate: 8000)
                try writer.append(AudioBuffer(samples: [0.1, 0.2], sampleRate: 8000))
                #expect(try names(folder).count == 2)
            }
            #expect(try names(folder) == ["take.wav"])
            #expect(try WAVFile(path: folder + "/take.wav").mono() == old)
        }
    }

    @Test("a goal that becomes a folder meanwhile is an error that leaves nothing behind")
    func goalTaken() throws {
        try withFolder { folder in
            var writer = try WAVWriter(path: folder + "/take.wav", sampleRate: 8000)
            try writer.append(AudioBuffer(samples: [0.1], sampleRate: 8000))
            try FileManager.default.createDirectory(atPath: folder + "/take.wav", withIntermediateDirectories: false)
            // A noncopyable value cannot be consumed inside an expectation's closure.
            do throws(AudioError) {
                try writer.finish()
                Issue.record("a folder was replaced")
            } catch {
                #expect(error.code == .notWritable)
            }
            #expect(try names(folder) == ["take.wav"])
        }
    }

    @Test("audio at another rate is refused, and the rest can still be saved")
    func otherRate() throws {
        try withFolder { folder in
            var writer = try WAVWriter(path: folder + "/take.wav", sampleRate: 8000)
            try writer.append(AudioBuffer(samples: [0.5], sampleRate: 8000))
            do throws(AudioError) {
                try writer.append(AudioBuffer(samples: [0.25], sampleRate: 16_000))
                Issue.record("two rates in one file")
            } catch {
                #expect(error.code == .unsupportedFormat)
            }
            try writer.finish()
            #expect(try WAVFile(path: folder + "/take.wav").mono().samples == [0.5])
        }
    }

    @Test("the name may be as long as the file system takes")
    func longName() throws {
        try withFolder { folder in
            let name = String(repeating: "a", count: 251) + ".wav"
            try WAVWriter(path: folder + "/" + name, sampleRate: 8000).finish()
            #expect(try names(folder) == [name])
        }
    }

    @Test(
        "rates that no reader takes, empty paths and paths with a NUL are refused",
        arguments: [("/tmp/x.wav", 0), ("/tmp/x.wav", 1_000_001), ("", 8000), ("/tmp/x\0.wav", 8000)])
    func badArguments(path: String, rate: Int) {
        #expect(throws: AudioError.self) { _ = try WAVWriter(path: path, sampleRate: rate) }
    }

    @Test("the lengths end where 32 bits do")
    func longest() throws {
        #expect(try WAVFile.header(sampleRate: 8000, dataBytes: Int(UInt32.max) - 37).count == 44)
        #expect(#expect(throws: AudioError.self) { try WAVFile.header(sampleRate: 8000, dataBytes: Int(UInt32.max) - 35) }?.code == .tooLong)
    }

    /// In a process of its own, since the limit holds for the whole process. 8 KiB take the header and the first buffer.
    @Test("no space left is an error that says so; what fitted can still be saved, and nothing else is left behind")
    func noSpace() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "sotto-full-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            _ = signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
            let small = AudioBuffer(samples: [Float](repeating: 0.5, count: 1000), sampleRate: 8000)
            let large = AudioBuffer(samples: [Float](repeating: 0.25, count: 10_000), sampleRate: 8000)
            var writer = try WAVWriter(path: folder + "/take.wav", sampleRate: 8000)
            try writer.append(small)
            do throws(AudioError) {
                try writer.append(large)
                exit(3)
            } catch {
                guard error.code == .diskFull, error.message.contains("free some space") else { exit(4) }
            }
            try writer.finish()
            guard try WAVFile(path: folder + "/take.wav").mono() == small else { exit(5) }
            do throws(AudioError) {
                try WAVFile.write(large, to: folder + "/other.wav")
                exit(6)
            } catch {
                guard error.code == .diskFull else { exit(7) }
            }
            guard try FileManager.default.contentsOfDirectory(atPath: folder) == ["take.wav"] else { exit(8) }
        }
    }
}
