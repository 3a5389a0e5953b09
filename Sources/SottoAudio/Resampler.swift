internal import CSoxr

/// Changes the sample rate of one mono recording that arrives bit by bit, by libsoxr.
///
/// ```swift
/// var resampler = try Resampler(from: 48_000, to: 16_000)
/// for buffer in buffers { samples += try resampler.process(buffer) }
/// samples += try resampler.finish()
/// ```
/// The output is in step with the input: the filter's delay is made up for at the beginning, and `finish` gives the rest.
@safe public struct Resampler: ~Copyable {
    /// How much of the band is kept, and how exactly.
    public enum Quality: Sendable {
        /// 20 bits, less work.
        case high
        /// 28 bits: more than 32-bit samples hold.
        case veryHigh
    }

    /// In hertz.
    public let inputRate: Int
    /// In hertz.
    public let outputRate: Int
    private let handle: OpaquePointer

    /// The rates that are taken, in hertz: from below the telephone's to above any converter's. A rate outside comes from a
    /// damaged header, and would make a short file into one that fits no memory.
    public static let rates = 4000...384_000
    /// Samples given out at once by libsoxr, so that working memory does not grow with the recording.
    private static let blockLength = 16_384

    /// - Parameters:
    ///   - inputRate: Within ``rates``.
    ///   - outputRate: Within ``rates``.
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public init(from inputRate: Int, to outputRate: Int, quality: Quality = .veryHigh) throws(AudioError) {
        guard Self.rates.contains(inputRate), Self.rates.contains(outputRate) else {
            throw AudioError(.resamplingFailed, "audio cannot be changed from \(inputRate) Hz to \(outputRate) Hz; rates are 4000 to 384000 Hz")
        }
        var format = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        // The values of SOXR_HQ and SOXR_VHQ, which are macros.
        var recipe = unsafe soxr_quality_spec(quality == .high ? 4 : 6, 0)
        var runtime = unsafe soxr_runtime_spec(1)
        var error: soxr_error_t?
        let handle = unsafe soxr_create(Double(inputRate), Double(outputRate), 1, &error, &format, &recipe, &runtime)
        guard unsafe error == nil, let handle = unsafe handle else {
            let reason = unsafe error.map { unsafe String(cString: $0) } ?? "no reason given"
            throw AudioError(.resamplingFailed, "audio cannot be changed from \(inputRate) Hz to \(outputRate) Hz: \(reason)")
        }
        unsafe self.handle = handle
        self.inputRate = inputRate
        self.outputRate = outputRate
    }

    deinit { unsafe soxr_delete(handle) }

    /// Takes the next samples and gives what is ready. A sample that is not finite counts as 0, or the filter would spread it.
    ///
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public mutating func process(_ samples: [Float]) throws(AudioError) -> [Float] {
        if samples.isEmpty { return [] }
        let isClean = samples.allSatisfy { $0.isFinite }
        return try run(isClean ? samples : samples.map { $0.isFinite ? $0 : 0 }, isLast: false)
    }

    /// Ends the recording.
    ///
    /// - Returns: The rest.
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public consuming func finish() throws(AudioError) -> [Float] { try run([], isLast: true) }

    private func run(_ samples: [Float], isLast: Bool) throws(AudioError) -> [Float] {
        var output: [Float] = []
        var consumed = 0
        var block = [Float](repeating: 0, count: Self.blockLength)
        while true {
            var used = 0
            var made = 0
            let error = unsafe samples.withUnsafeBufferPointer { input in
                unsafe block.withUnsafeMutableBufferPointer { output in
                    let start = unsafe isLast ? nil : input.baseAddress.map { unsafe UnsafeRawPointer($0 + consumed) }
                    return unsafe soxr_process(handle, start, input.count - consumed, &used, output.baseAddress, output.count, &made)
                }
            }
            if let error = unsafe error {
                throw AudioError(.resamplingFailed, "resampling failed: \(unsafe String(cString: error))")
            }
            output += block[..<made]
            consumed += used
            // A full block may hide more; otherwise everything has been taken in and given out.
            if made < block.count && (isLast || consumed >= samples.count) { return output }
        }
    }
}

extension AudioBuffer {
    /// The same recording at another rate.
    ///
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public func resampled(to rate: Int, quality: Resampler.Quality = .veryHigh) throws(AudioError) -> AudioBuffer {
        guard rate != sampleRate else { return self }
        var resampler = try Resampler(from: sampleRate, to: rate, quality: quality)
        let samples = try resampler.process(samples)
        return AudioBuffer(samples: samples + (try resampler.finish()), sampleRate: rate)
    }
}
