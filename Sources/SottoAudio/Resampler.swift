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
        /// 20 bits, enough for any recognizer.
        case high
        /// 28 bits, for listening and for further work.
        case veryHigh
    }

    /// In hertz.
    public let inputRate: Int
    /// In hertz.
    public let outputRate: Int
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - inputRate: 1 to 1 000 000 Hz.
    ///   - outputRate: 1 to 1 000 000 Hz.
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public init(from inputRate: Int, to outputRate: Int, quality: Quality = .high) throws(AudioError) {
        guard (1...1_000_000).contains(inputRate), (1...1_000_000).contains(outputRate) else {
            throw AudioError(.resamplingFailed, "audio cannot be changed from \(inputRate) Hz to \(outputRate) Hz; rates are 1 to 1000000 Hz")
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

    /// Takes the next samples and gives what is ready.
    ///
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public mutating func process(_ samples: [Float]) throws(AudioError) -> [Float] {
        samples.isEmpty ? [] : try run(samples, isLast: false)
    }

    /// Ends the recording.
    ///
    /// - Returns: The rest.
    /// - Throws: ``AudioError`` `.resamplingFailed`.
    public consuming func finish() throws(AudioError) -> [Float] { try run([], isLast: true) }

    private func run(_ samples: [Float], isLast: Bool) throws(AudioError) -> [Float] {
        var output: [Float] = []
        var consumed = 0
        var block = [Float](repeating: 0, count: max(1024, samples.count * outputRate / inputRate + 1024))
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
    public func resampled(to rate: Int, quality: Resampler.Quality = .high) throws(AudioError) -> AudioBuffer {
        guard rate != sampleRate else { return self }
        var resampler = try Resampler(from: sampleRate, to: rate, quality: quality)
        let samples = try resampler.process(samples)
        return AudioBuffer(samples: samples + (try resampler.finish()), sampleRate: rate)
    }
}
