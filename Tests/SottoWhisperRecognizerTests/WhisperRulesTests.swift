import Testing
@testable import SottoWhisperRecognizer
