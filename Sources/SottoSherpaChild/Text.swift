enum Text {
    static func trimmed(_ text: String) -> String {
        guard let first = text.firstIndex(where: { $0.isWhitespace == false }), let last = text.lastIndex(where: { $0.isWhitespace == false }) else {
            return ""
        }
        return String(text[first...last])
    }
}
