import Foundation
import Glibc
import SottoSubprocess
import SottoTestSupport
import SottoText
import Testing

private let speech = ProcessInfo.processInfo.environment["SOTTO_CORPORA"].map { $0 + "/speech/" } ?? ""
private let hasAll = Program.hasModels && speech.isEmpty == false

extension RealProgram {
    @Suite(.enabled(if: hasAll, "needs the models and SOTTO_CORPORA")) struct HearingTests {
        private let jarvis = speech + "wakewords/dev/hey_jarvis.wav"
        /// Heard alike wherever it begins within a frame, as the shorter clips are not: "… that you thought me so silly".
        private let sentence = speech + "librispeech-test-other/dev/1688-142285-0002.flac"
        private let novel = speech + "moonshine-assets/dev/two_cities_16k.wav"

        private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

        @Test("several files, one of them missing: the others are printed, and the status tells")
        func several() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("transcribe", jarvis, program.home + "/gone.wav", jarvis)
            #expect(result.status == 1)
            #expect(lines(result.output) == ["Hey, Jarvis.", "Hey, Jarvis."])
            #expect(result.errors.contains("gone.wav"))
        }

        @Test("the neural runtime keeps no record of its use, of which its makers would hear")
        func telemetry() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("transcribe", jarvis, environment: ["XDG_CACHE_HOME": program.home + "/cache", "TMPDIR": program.home])
            #expect(result.status == 0)
            let files = try #require(FileManager.default.enumerator(atPath: program.home)).compactMap { $0 as? String }
            #expect(files.isEmpty == false)
            #expect(files.filter { $0.lowercased().contains("onnxruntime") || $0.contains("Microsoft") || $0.contains("deviceid") } == [])
        }

        @Test("standard input is heard as a file is, whatever its format", arguments: ["wav", "mp3", "m4a"])
        func standardInput(format: String) async throws {
            let program = try Program()
            defer { program.remove() }
            let path = program.home + "/clip." + format
            _ = try await Subprocess.run(.init("ffmpeg", ["-nostdin", "-loglevel", "error", "-i", jarvis, path])).checked()
            let result = try await program.run("transcribe", "-", input: [UInt8](try #require(FileManager.default.contents(atPath: path))))
            #expect(result.status == 0)
            #expect(result.output == "Hey, Jarvis.\n")
            let nothing = try await program.run("transcribe", "-")
            #expect(nothing.status == 1)
            #expect(nothing.errors.contains("standard input is empty"))
        }

        @Test("the report holds segments and words in order, inside the recording")
        func json() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("transcribe", novel, "--format", "json")
            let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            #expect(report["complete"] as? Bool == true)
            let segments = try #require(report["segments"] as? [[String: Any]])
            var last = 0.0
            for segment in segments {
                let (start, end) = (try #require(segment["start"] as? Double), try #require(segment["end"] as? Double))
                #expect(start >= last && end > start && end <= 44.5)
                last = end
                let words = try #require(segment["words"] as? [[String: Any]])
                #expect(words.compactMap { $0["text"] as? String }.joined(separator: " ") == segment["text"] as? String)
                #expect(words.allSatisfy { ($0["start"] as? Double ?? -1) >= start && ($0["end"] as? Double ?? 99) <= end + 1e-6 })
            }
            // Nothing is left behind once a recording was heard to its end.
            #expect((try? FileManager.default.contentsOfDirectory(atPath: program.home + "/.cache/sotto/transcripts")) ?? [] == [])
        }

        @Test("subtitles are short, in order, and hold every word", arguments: ["srt", "vtt"])
        func subtitles(format: String) async throws {
            let program = try Program()
            defer { program.remove() }
            let text = try await program.run("transcribe", novel).output
            let subtitles = try await program.run("transcribe", novel, "--format", format).output
            #expect(subtitles.hasPrefix(format == "vtt" ? "WEBVTT\n\n0" : "1\n00:"))
            let cues = lines(subtitles).filter { $0.contains("-->") == false && $0 != "WEBVTT" && Int($0) == nil }
            #expect(cues.allSatisfy { $0.count <= 84 })
            #expect(cues.joined(separator: " ").split(separator: " ") == text.split(whereSeparator: \.isWhitespace))
            // The independent reader: ffmpeg's own parser takes all of them.
            let path = try program.file("cues." + format, Data(subtitles.utf8))
            let parsed = try await Subprocess.run(.init("ffmpeg", ["-nostdin", "-loglevel", "error", "-i", path, "-f", "srt", "-"])).checked()
            #expect(String(decoding: parsed, as: UTF8.self).split(separator: "\n").count { $0.contains("-->") } == cues.count)
        }

        @Test("partials: what is committed only grows, and finals are those without partials where nothing was committed early")
        func partials() async throws {
            let program = try Program()
            defer { program.remove() }
            let result = try await program.run("transcribe", novel, "--partials", "--format", "json")
            #expect(result.status == 0)
            var committed = ""
            var finals: [String] = []
            var partials = 0
            for line in lines(result.output) {
                let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let text = try #require((event["type"] as? String == "final" ? event["text"] : event["committed"]) as? String)
                #expect(text.hasPrefix(committed), "\(committed) became \(text)")
                if event["type"] as? String == "final" {
                    committed = ""
                    finals.append(text)
                } else {
                    committed = text
                    partials += 1
                }
            }
            #expect(partials > 20)
            let whole = try await program.run("transcribe", novel).output
            let rate = WordErrorRate(
                reference: TranscriptNormalizer.words(whole), hypothesis: TranscriptNormalizer.words(finals.joined(separator: " ")))
            #expect(rate.rate < 0.03)
        }

        @Test("a recording that was interrupted goes on where it was, and ends with the same text", arguments: [SIGKILL, SIGINT])
        func resume(signal: Int32) async throws {
            let program = try Program()
            defer { program.remove() }
            let whole = try await program.run("transcribe", novel).output
            let first = try #require(lines(whole).first)
            #expect(lines(whole).count > 2)
            let running = try Running(program, ["transcribe", novel])
            #expect(await running.writes(first))
            running.signal(signal)
            let status = await running.status()
            #expect(status == (signal == SIGKILL ? -SIGKILL : 130))
            if signal == SIGINT { #expect(running.text.contains("goes on from the last sentence")) }
            let again = try await program.run("transcribe", novel)
            #expect(again.status == 0)
            #expect(again.errors.contains("going on from"))
            let rate = WordErrorRate(reference: TranscriptNormalizer.words(whole), hypothesis: TranscriptNormalizer.words(again.output))
            #expect(rate.rate < 0.03)
            // And it begins anew once it was heard to its end.
            #expect(try await program.run("transcribe", novel).errors.contains("going on from") == false)
        }

        @Test("what was heard is written as the user wants it, and as it was heard otherwise")
        func writtenForm() async throws {
            let program = try Program()
            defer { program.remove() }
            _ = try program.file(".config/sotto/replacements.txt", Data("jarvis = Computer\nnonsense\n".utf8))
            let heard = try await program.run("transcribe", jarvis)
            #expect(heard.output == "Hey, Computer.\n")
            #expect(heard.errors.contains("line 2"))
            let preview = try await program.run("dictate", "--preview", "Um, call jarvis in twenty five minutes", "--digits", "--no-fillers")
            #expect(preview.output == "Call Computer in 25 minutes\n")
            #expect(try await program.run("settings", "set", "digits", "on").status == 0)
            #expect(try await program.run("dictate", "--preview", "Um, twenty five").output == "Um, 25\n")
        }

        @Test("a language that no recognizer knows, and a wrong call")
        func wrongCalls() async throws {
            let program = try Program()
            defer { program.remove() }
            let klingon = try await program.run("transcribe", jarvis, "--language", "tlh")
            #expect(klingon.status == 1)
            #expect(klingon.errors.contains("no recognizer knows the language \"tlh\""))
            let wrong = try await program.run("transcribe", jarvis, "--language", "de", "--engine", "moonshine")
            #expect(wrong.status == 1 && wrong.errors.contains("--engine whisper"))
            let odd = try await program.run("transcribe", jarvis, "--language", "auto,de")
            #expect(odd.status != 0 && odd.errors.contains("auto"))
            #expect(try await program.run("transcribe", jarvis, "--language", "en-US").status == 0)
            #expect(try await program.run("transcribe", "-", "-").status == 2)
            #expect(try await program.run("dictate", "now").status == 2)
            let typing = try await program.run("dictate", "--type")
            #expect(typing.status == 1)
            #expect(typing.errors.contains("wtype"))
            let nobody = try await program.run("dictate", "stop")
            #expect(nobody.status == 1)
            #expect(nobody.errors.contains("no dictation is running"))
            let deaf = try await program.run("dictate", environment: ["PULSE_SERVER": "unix:/nonexistent"])
            #expect(deaf.status == 1)
            #expect(deaf.errors.contains("sound server"))
            #expect(try await program.run("takes", "list").errors.contains("there are no takes"))
        }

        @Test("dictation hears what is played, keeps the take, and others are told who has the microphone",
            .enabled(if: SoundServer.isInstalled, "needs the programs pulseaudio, pactl and ffmpeg"), .timeLimit(.minutes(10)))
        func dictation() async throws {
            let program = try Program()
            defer { program.remove() }
            let server = try SoundServer(modules: ["module-null-sink sink_name=desk rate=48000"])
            defer { server.remove() }
            try await server.ready()
            let sound = ["PULSE_SERVER": server.address]
            let running = try Running(program, ["dictate", "start"], environment: sound)
            #expect(await running.writes("Listening to"))
            let second = try await program.run("dictate", environment: sound)
            #expect(second.status == 1)
            #expect(second.errors.contains("process \(running.processID) is using the microphone"))
            let recording = try await program.run("takes", "list")
            #expect(recording.output.contains("recording"))
            try await server.play(sentence, into: "desk")
            // Stopped at once: the last word is still on its way.
            #expect(try await program.run("dictate", "stop").status == 0)
            #expect(await running.status() == 0)
            #expect(running.text.contains("silly"))
            let list = try await program.run("takes", "list")
            #expect(list.output.contains("silly"))
            let id = try #require(list.output.split(separator: "\t").first.map(String.init))
            let retried = try await program.run("takes", "retry", id)
            #expect(retried.output.contains("silly"))
            #expect(try await program.run("takes", "remove", id).status == 0)
            #expect(try await program.run("takes", "list").output.isEmpty)
        }

        @Test("dictation that is killed leaves a take that can be recognized",
            .enabled(if: SoundServer.isInstalled, "needs the programs pulseaudio, pactl and ffmpeg"), .timeLimit(.minutes(10)))
        func killed() async throws {
            let program = try Program()
            defer { program.remove() }
            let server = try SoundServer(modules: ["module-null-sink sink_name=desk rate=48000"])
            defer { server.remove() }
            try await server.ready()
            let running = try Running(program, ["dictate", "toggle"], environment: ["PULSE_SERVER": server.address])
            #expect(await running.writes("Listening to"))
            try await server.play(sentence, into: "desk")
            // The text shows that the sound has come through.
            #expect(await running.writes("silly"))
            running.signal(SIGKILL)
            _ = await running.status()
            let list = try await program.run("takes", "list")
            #expect(list.output.contains("recovered"))
            let id = try #require(list.output.split(separator: "\t").first.map(String.init))
            #expect(try await program.run("takes", "retry", id).output.contains("silly"))
        }
    }
}
