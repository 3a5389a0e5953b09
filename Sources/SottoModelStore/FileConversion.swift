import SottoStreams

/// The ways to make a model's file out of others, each known by its name in the manifest.
enum FileConversion: String, CaseIterable, Sendable {
    /// The weights of a Whisper model from CTranslate2's `model.bin` and `vocabulary.txt` to the file that whisper.cpp reads.
    case whisperToGGML = "whisper-ctranslate2-to-ggml"

    /// The names of what it needs.
    var ingredients: Set<String> {
        switch self {
        case .whisperToGGML: ["model.bin", "vocabulary.txt"]
        }
    }

    /// Makes the file, in memory that does not grow with it.
    ///
    /// - Parameters:
    ///   - paths: Where the ingredients are, by name.
    ///   - write: Receives the bytes in order; the buffer is valid for the call only.
    /// - Throws: ``ModelStoreError`` `.sourceFailed` when an ingredient is not what it should be; what `write` throws; `CancellationError` within a
    ///   megabyte of a cancel.
    func run(_ paths: [String: String], flag: CancellationFlag?, write: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        func path(_ name: String) throws(ModelStoreError) -> String {
            guard let path = paths[name] else { throw ModelStoreError(.sourceFailed, "“\(rawValue)” needs \(name), which is not there") }
            return path
        }
        switch self {
        case .whisperToGGML:
            let weights = try CTranslate2Weights(path("model.bin"))
            let vocabulary = try WhisperVocabularyFile(path("vocabulary.txt"))
            try unsafe WhisperGGMLFile(weights, vocabulary).write(flag: flag, write)
        }
    }
}
