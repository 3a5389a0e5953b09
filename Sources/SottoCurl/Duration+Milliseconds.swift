extension Duration {
    /// Whole milliseconds, as libcurl's options take them.
    package var wholeMilliseconds: Int {
        let parts = components
        return Int(parts.seconds) * 1_000 + Int(parts.attoseconds / 1_000_000_000_000_000)
    }
}
