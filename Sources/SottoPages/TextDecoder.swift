internal import Glibc

/// Decodes bytes to text; what cannot be read becomes U+FFFD.
enum TextDecoder {
    /// - Returns: The text, and how many places could not be read.
    static func decode(_ bytes: ArraySlice<UInt8>, _ encoding: CharacterEncoding) -> (text: String, replaced: Int) {
        if encoding == .utf8 {
            let text = String(decoding: bytes, as: UTF8.self)
            return (text, text.utf8.count > bytes.count || text.unicodeScalars.contains("\u{FFFD}") ? text.unicodeScalars.count { $0 == "\u{FFFD}" } : 0)
        }
        guard let converter = Converter(from: encoding.iconvName) else {
            let text = String(decoding: bytes, as: UTF8.self)
            return (text, text.unicodeScalars.count { $0 == "\u{FFFD}" })
        }
        // Browsers read the five bytes that windows-1252 leaves open as control characters.
        let (text, replaced) = converter.convert(Array(bytes), keepsUnassigned: encoding.name.hasPrefix("windows-125") || encoding.name.hasPrefix("iso-8859"))
        // iconv reads the byte of the backslash as a won sign, as Korean fonts drew it; code page 1361 and Python do not.
        return (encoding.name == "johab" ? text.replacing("\u{20A9}", with: "\\") : text, replaced)
    }

    /// Owns one iconv descriptor.
    @safe private struct Converter: ~Copyable {
        private let descriptor: iconv_t

        init?(from name: String) {
            let opened = unsafe iconv_open("UTF-8", name)
            guard unsafe opened != iconv_t(bitPattern: -1) else { return nil }
            guard let opened = unsafe opened else { return nil }
            unsafe descriptor = opened
        }

        deinit { unsafe iconv_close(descriptor) }

        func convert(_ input: [UInt8], keepsUnassigned: Bool) -> (text: String, replaced: Int) {
            var input = input
            var output: [UInt8] = []
            output.reserveCapacity(input.count * 2)
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            var replaced = 0
            let total = input.count
            unsafe input.withUnsafeMutableBytes { source in
                var next = unsafe source.baseAddress?.assumingMemoryBound(to: CChar.self)
                var left = total
                while left > 0 {
                    let result = unsafe buffer.withUnsafeMutableBytes { target -> Int in
                        var write = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
                        var room = target.count
                        let result = unsafe iconv(descriptor, &next, &left, &write, &room)
                        let code = errno
                        unsafe output.append(contentsOf: UnsafeRawBufferPointer(rebasing: target[0..<target.count - room]))
                        return result == -1 ? Int(code) : 0
                    }
                    guard result == Int(EILSEQ) || result == Int(EINVAL), left > 0, let here = unsafe next else {
                        if result == 0 || left == 0 { break }
                        continue
                    }
                    let byte = UInt8(bitPattern: unsafe here.pointee)
                    if keepsUnassigned, byte >= 0x80, byte < 0xA0 {
                        output += [0xC2, byte]
                    } else {
                        output += [0xEF, 0xBF, 0xBD]
                        replaced += 1
                    }
                    unsafe next = here + 1
                    left -= 1
                }
            }
            return (String(decoding: output, as: UTF8.self), replaced)
        }
    }
}
