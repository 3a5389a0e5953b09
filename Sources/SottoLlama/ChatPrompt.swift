import CLlama
import SottoLanguageModels

/// A conversation as the model sees it, with the template's words and the people's words kept apart.
struct ChatPrompt {
    /// A stretch of the prompt.
    enum Part: Equatable {
        /// Written by the template: control tokens mean what they say.
        case template(String)
        /// Written by somebody: control tokens are plain text.
        case content(String)
    }

    let parts: [Part]

    /// Renders a conversation up to where the answer begins.
    ///
    /// Each content is rendered as a mark, and the rendered text is split at the marks, so no content ever passes
    /// through the template.
    /// - Parameter template: The model's own, or a name that llama.cpp knows, such as `chatml`.
    /// - Returns: `nil` when llama.cpp does not know the template.
    init?(_ messages: [ChatMessage], template: String) {
        guard let rendered = Self.render(messages.enumerated().map { ($1.role.rawValue, Self.mark($0)) }, template: template),
            let parts = Self.split(rendered, contents: messages.map(\.content))
        else { return nil }
        self.parts = parts
    }

    /// Splits a rendered text at the marks; `nil` when the template dropped, doubled or reordered one.
    static func split(_ rendered: String, contents: [String]) -> [Part]? {
        var parts: [Part] = []
        var rest = rendered[...]
        for (index, content) in contents.enumerated() {
            guard let range = rest.firstRange(of: mark(index)) else { return nil }
            parts += [.template(String(rest[..<range.lowerBound])), .content(content)]
            rest = rest[range.upperBound...]
        }
        guard rest.contains(boundary) == false else { return nil }
        parts.append(.template(String(rest)))
        return parts.filter { $0 != .template("") && $0 != .content("") }
    }

    /// A private-use character, which no template contains.
    private static let boundary: Character = "\u{F8FE}"

    static func mark(_ index: Int) -> String { "\(boundary)\(index)\(boundary)" }

    private static func render(_ messages: [(role: String, content: String)], template: String) -> String? {
        let strings = messages.flatMap { [$0.role, $0.content] }.map { Array($0.utf8CString) }
        let size = 4096 + messages.count * 256
        var bytes = [CChar](repeating: 0, count: size)
        let joined = strings.flatMap { $0 }
        var offsets: [Int] = []
        var offset = 0
        for string in strings {
            offsets.append(offset)
            offset += string.count
        }
        let count = unsafe joined.withUnsafeBufferPointer { joined -> Int32 in
            guard let base = joined.baseAddress else { return -1 }
            let chat = unsafe stride(from: 0, to: offsets.count, by: 2).map { index in
                unsafe llama_chat_message(role: base + offsets[index], content: base + offsets[index + 1])
            }
            return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe chat.withUnsafeBufferPointer { chat in
                    unsafe llama_chat_apply_template(template, chat.baseAddress, chat.count, true, buffer.baseAddress, Int32(size))
                }
            }
        }
        guard count > 0, Int(count) <= size else { return nil }
        return String(decoding: bytes.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
