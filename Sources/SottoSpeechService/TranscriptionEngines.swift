public import SottoSpeechEngines
public import SottoStreams

/// What transcription needs of the program around it.
public protocol TranscriptionEngines: Sendable {
    /// The recognizer for a request.
    ///
    /// - Parameters:
    ///   - model: As the client named it; `whisper-1` and its like leave the choice open.
    ///   - language: A primary BCP 47 tag; `nil` when the client names none.
    ///   - translating: Whether the text shall be English.
    /// - Returns: The recognizer and the options that make it hear that language.
    /// - Throws: ``RecognitionError`` `.modelNotLoaded` and `.unsupportedLanguage`; ``ServiceError`` for a model that does not exist.
    func recognizer(
        model: String, language: String?, translating: Bool
    ) async throws -> (recognizer: any SpeechRecognizer, options: RecognitionOptions)

    /// Decodes a file of any common format.
    ///
    /// - Throws: While iterating: ``AudioInputError`` when the file is at fault.
    func audio(of file: [UInt8], name: String, sampleRate: Int) -> AudioStream
}
