/// Several channels to one.
public enum ChannelMixdown {
    /// The mean over the channels of each frame.
    ///
    /// - Parameters:
    ///   - interleaved: Frame by frame; samples after the last whole frame are left out.
    ///   - channels: At least 1.
    public static func mono(_ interleaved: [Float], channels: Int) -> [Float] {
        precondition(channels > 0, "there is at least one channel")
        if channels == 1 { return interleaved }
        let scale = 1 / Float(channels)
        return (0..<(interleaved.count / channels)).map { frame in
            var sum: Float = 0
            for channel in 0..<channels { sum += interleaved[frame * channels + channel] }
            return sum * scale
        }
    }
}
