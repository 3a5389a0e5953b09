/// What is written into files that hold a cloned voice's speech.
public enum SyntheticSpeechMark {
    /// Names no person: the voice's name may be one.
    public static let comment = "Synthetic speech: made by Sotto in a voice cloned with its owner's consent"
}
