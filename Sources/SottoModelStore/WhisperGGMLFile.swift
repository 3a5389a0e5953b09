import SottoStreams

/// A Whisper model as whisper.cpp reads it, made of CTranslate2's weights.
///
/// The order of the tensors, their kinds (32 bits for what has one dimension, the convolutions' biases and the positions; 16 bits for the rest) and the
/// head are those of the published files, so that the result can be compared with them by its hash. Source: whisper.cpp `models/convert-pt-to-ggml.py`.
struct WhisperGGMLFile: ~Copyable {
    private static let magic: UInt32 = 0x6767_6D6C

    private let weights: CTranslate2Weights
    private let vocabulary: WhisperVocabularyFile

    init(_ weights: consuming CTranslate2Weights, _ vocabulary: WhisperVocabularyFile) {
        self.weights = weights
        self.vocabulary = vocabulary
    }

    /// - Throws: As ``FileConversion/run(_:flag:write:)``.
    func write(flag: CancellationFlag?, _ write: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        guard weights.specification == "WhisperSpec" else { throw CTranslate2Weights.fault(weights.path, "it holds a \(weights.specification)") }
        let embeddings = try weights.variable("decoder/embeddings/weight")
        let convolution = try weights.variable("encoder/conv1/weight")
        let hearing = try weights.variable("encoder/position_encodings/encodings")
        let writing = try weights.variable("decoder/position_encodings/encodings")
        guard embeddings.dimensions.count == 2, convolution.dimensions.count == 3, hearing.dimensions.count == 2, writing.dimensions.count == 2 else {
            throw CTranslate2Weights.fault(weights.path, "its embeddings have the wrong shape")
        }
        let state = embeddings.dimensions[1]
        let bands = convolution.dimensions[1]
        let encoderLayers = layers("encoder")
        let decoderLayers = layers("decoder")
        let head = [
            embeddings.dimensions[0], hearing.dimensions[0], state, try weights.scalar("encoder/num_heads"), encoderLayers, writing.dimensions[0], state,
            try weights.scalar("decoder/num_heads"), decoderLayers, bands, 1,
        ]
        var bytes: [UInt8] = []
        Self.append(Self.magic, &bytes)
        for number in head + [bands, 201] { Self.append(UInt32(number), &bytes) }
        for value in MelFilterBank.whisper(bands: bands) { Self.append(value.bitPattern, &bytes) }
        Self.append(UInt32(vocabulary.tokens.count), &bytes)
        for token in vocabulary.tokens {
            Self.append(UInt32(token.count), &bytes)
            bytes += token
        }
        try unsafe bytes.withUnsafeBytes { try unsafe write($0) }

        let output = unsafe Output(flag: flag, write: write)
        try tensor("decoder.positional_embedding", "decoder/position_encodings/encodings", [writing.dimensions[0], state], wide: true, output)
        try tensor("encoder.positional_embedding", "encoder/position_encodings/encodings", [hearing.dimensions[0], state], wide: true, output)
        try tensor("decoder.token_embedding.weight", "decoder/embeddings/weight", embeddings.dimensions, output)
        for layer in 0..<decoderLayers { try block("decoder", layer, state, output) }
        try norm("decoder.ln", "decoder/layer_norm", state, output)
        for (name, from) in [("conv1", bands), ("conv2", state)] {
            try tensor("encoder.\(name).weight", "encoder/\(name)/weight", [state, from, 3], output)
            try tensor("encoder.\(name).bias", "encoder/\(name)/bias", [state], shown: [state, 1], wide: true, output)
        }
        for layer in 0..<encoderLayers { try block("encoder", layer, state, output) }
        try norm("encoder.ln_post", "encoder/layer_norm", state, output)
    }

    private func layers(_ side: String) -> Int {
        var count = 0
        while weights.has("\(side)/layer_\(count)/self_attention/layer_norm/gamma") { count += 1 }
        return count
    }

    private func block(_ side: String, _ layer: Int, _ state: Int, _ output: Output) throws {
        let to = "\(side).blocks.\(layer)"
        let from = "\(side)/layer_\(layer)"
        try norm("\(to).mlp_ln", "\(from)/ffn/layer_norm", state, output)
        for (name, linear, shape) in [("0", "linear_0", [4 * state, state]), ("2", "linear_1", [state, 4 * state])] {
            try tensor("\(to).mlp.\(name).weight", "\(from)/ffn/\(linear)/weight", shape, output)
            try tensor("\(to).mlp.\(name).bias", "\(from)/ffn/\(linear)/bias", [shape[0]], wide: true, output)
        }
        try norm("\(to).attn_ln", "\(from)/self_attention/layer_norm", state, output)
        let own = "\(from)/self_attention/linear_0"
        try attention(
            "\(to).attn", query: (own, 0, 3), key: (own, 1, 3), value: (own, 2, 3), out: "\(from)/self_attention/linear_1", state, output)
        guard side == "decoder" else { return }
        try norm("\(to).cross_attn_ln", "\(from)/attention/layer_norm", state, output)
        let cross = "\(from)/attention/linear_1"
        try attention(
            "\(to).cross_attn", query: ("\(from)/attention/linear_0", 0, 1), key: (cross, 0, 2), value: (cross, 1, 2),
            out: "\(from)/attention/linear_2", state, output)
    }

    /// CTranslate2 stacks the projections that share an input: each is one of `count` equal parts of a matrix.
    private typealias Part = (name: String, index: Int, count: Int)

    private func attention(
        _ to: String, query: Part, key: Part, value: Part, out: String, _ state: Int, _ output: Output
    ) throws {
        for (name, part) in [("query", query), ("key", key), ("value", value)] {
            try tensor(
                "\(to).\(name).weight", "\(part.name)/weight", [part.count * state, state], rows: (part.index * state)..<((part.index + 1) * state), output)
            let rows = (part.index * state)..<((part.index + 1) * state)
            if name == "key" {
                try requireZero("\(part.name)/bias", rows, of: part.count * state)
            } else {
                try tensor("\(to).\(name).bias", "\(part.name)/bias", [part.count * state], rows: rows, wide: true, output)
            }
        }
        try tensor("\(to).out.weight", "\(out)/weight", [state, state], output)
        try tensor("\(to).out.bias", "\(out)/bias", [state], wide: true, output)
    }

    private func norm(_ to: String, _ from: String, _ state: Int, _ output: Output) throws {
        try tensor("\(to).weight", "\(from)/gamma", [state], wide: true, output)
        try tensor("\(to).bias", "\(from)/beta", [state], wide: true, output)
    }

    /// Whisper's keys have no bias, and whisper.cpp has no place for one.
    private func requireZero(_ name: String, _ rows: Range<Int>, of count: Int) throws {
        let variable = try weights.variable(name, [count])
        try unsafe weights.withBytes(variable, values: rows, flag: nil) { bytes in
            // Minus zero is zero too.
            let isZero = stride(from: 0, to: bytes.count, by: 2).allSatisfy { unsafe bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self) & 0x7FFF == 0 }
            guard isZero else { throw CTranslate2Weights.fault(weights.path, "\(name) has a bias for keys, which Whisper has not") }
        }
    }

    /// Writes one tensor: its head, then its values.
    ///
    /// - Parameters:
    ///   - rows: Of the first dimension; all by default.
    ///   - shown: The shape in the head, where it differs.
    ///   - wide: 32 bits instead of 16.
    private func tensor(
        _ to: String, _ from: String, _ shape: [Int], rows: Range<Int>? = nil, shown: [Int]? = nil, wide: Bool = false, _ output: Output
    ) throws {
        let variable = try weights.variable(from, shape)
        guard variable.kind == CTranslate2Weights.float16 else { throw CTranslate2Weights.fault(weights.path, "\(from) is not of 16-bit floats") }
        let rows = rows ?? 0..<shape[0]
        let rowLength = shape.dropFirst().reduce(1, *)
        let dimensions = shown ?? [rows.count] + shape.dropFirst()
        var head: [UInt8] = []
        Self.append(UInt32(dimensions.count), &head)
        Self.append(UInt32(to.utf8.count), &head)
        Self.append(wide ? 0 : 1, &head)
        for dimension in dimensions.reversed() { Self.append(UInt32(dimension), &head) }
        head += to.utf8
        try unsafe head.withUnsafeBytes { try unsafe output.write($0) }
        try unsafe weights.withBytes(variable, values: (rows.lowerBound * rowLength)..<(rows.upperBound * rowLength), flag: output.flag) { bytes in
            guard wide else { return try unsafe output.write(bytes) }
            let widened = stride(from: 0, to: bytes.count, by: 2).map { unsafe Self.widened(bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self)).littleEndian }
            try unsafe widened.withUnsafeBytes { try unsafe output.write($0) }
        }
    }

    @safe private struct Output {
        let flag: CancellationFlag?
        let write: (UnsafeRawBufferPointer) throws -> Void
    }

    private static func append(_ number: UInt32, _ bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// The bits of a 32-bit float with the value of a 16-bit one. By hand, since `Float16` is not there on every platform.
    static func widened(_ half: UInt16) -> UInt32 {
        let half = UInt16(littleEndian: half)
        let sign = UInt32(half & 0x8000) << 16
        let exponent = UInt32(half >> 10) & 0x1F
        let fraction = UInt32(half) & 0x3FF
        switch exponent {
        case 0:
            guard fraction > 0 else { return sign }
            let shift = UInt32(fraction.leadingZeroBitCount) - 21
            return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3FF) << 13)
        case 31: return sign | 0x7F80_0000 | (fraction << 13)
        default: return sign | ((exponent + 112) << 23) | (fraction << 13)
        }
    }
}
