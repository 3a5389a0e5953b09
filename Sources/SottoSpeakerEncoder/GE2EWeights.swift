internal import Foundation
internal import SottoSpeechEngines

/// The encoder's weights, read from the file as it was published.
///
/// `pretrained.pt` of Resemblyzer 0.1.4 (Apache-2.0; Corentin Jemine after Wan et al. 2018, "Generalized End-to-End Loss for Speaker Verification")
/// is in
/// PyTorch's old form: pickles, then the numbers of each tensor storage after their count. The file's digest is pinned by the model store, so the
/// numbers stand at known places: nothing of the pickles is read, let alone run.
struct GE2EWeights: Sendable {
    struct Layer: Sendable {
        /// Shape `[1024, inputs]`: gates i, f, g, o of 256 cells each.
        var input: [Float]
        /// Shape `[1024, 256]`.
        var hidden: [Float]
        /// Both biases together, `[1024]`.
        var bias: [Float]
        var inputs: Int
    }

    static let cells = 256
    static let fileSize = 17_090_379
    var layers: [Layer] = []
    /// Shape `[256, 256]`.
    var output: [Float]
    var outputBias: [Float]

    /// - Throws: ``SpeakerError`` `.modelNotLoaded`.
    init(path: String) throws(SpeakerError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SpeakerError(.modelNotLoaded, "the speaker encoder at \(path) is missing; run `sotto models pull ge2e`")
        }
        guard data.count == Self.fileSize else {
            throw SpeakerError(.modelNotLoaded, "the speaker encoder at \(path) is damaged; run `sotto models verify`")
        }
        let bytes = [UInt8](data)
        func storage(_ offset: Int, _ count: Int) -> [Float]? {
            let stored = (0..<8).reduce(0) { $0 | Int(bytes[offset - 8 + $1]) << (8 * $1) }
            guard stored == count else { return nil }
            return (0..<count).map { index in
                let at = offset + index * 4
                return Float(bitPattern: UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16 | UInt32(bytes[at + 3]) << 24)
            }
        }
        guard let lstm = storage(269_883, 1_357_824), let output = storage(7731, 65_536), let bias = storage(6699, 256), lstm.allSatisfy(\.isFinite) else {
            throw SpeakerError(.modelNotLoaded, "the speaker encoder at \(path) is of another form; run `sotto models verify`")
        }
        self.output = output
        outputBias = bias
        let places: [(inputs: Int, input: Int, hidden: Int)] = [(40, 0, 40_960), (256, 303_104, 565_248), (256, 827_392, 1_089_536)]
        for (index, place) in places.enumerated() {
            let biases = 1_351_680 + index * 2048
            layers.append(
                Layer(
                    input: Array(lstm[place.input..<(place.input + 1024 * place.inputs)]), hidden: Array(lstm[place.hidden..<(place.hidden + 1024 * 256)]),
                    bias: zip(lstm[biases..<(biases + 1024)], lstm[(biases + 1024)..<(biases + 2048)]).map { $0 + $1 }, inputs: place.inputs))
        }
    }
}
