/// SHA-256 of bytes in memory (FIPS 180-4). Our own, because the standard library has none and this layer links no C.
enum SHA256 {
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        var state: [UInt32] = [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19]
        let whole = bytes.count / 64 * 64
        var words = [UInt32](repeating: 0, count: 64)
        for start in stride(from: 0, to: whole, by: 64) { mix(bytes, start, &words, &state) }
        var tail = Array(bytes[whole...]) + [0x80]
        while tail.count % 64 != 56 { tail.append(0) }
        let bits = UInt64(bytes.count) * 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) { tail.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        for start in stride(from: 0, to: tail.count, by: 64) { mix(tail, start, &words, &state) }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for word in state { for shift in stride(from: UInt32(28), through: 0, by: -4) { text.append(digits[Int(word >> shift & 15)]) } }
        return String(decoding: text, as: UTF8.self)
    }

    private static func mix(_ bytes: [UInt8], _ start: Int, _ w: inout [UInt32], _ state: inout [UInt32]) {
        for index in 0..<16 {
            let at = start + index * 4
            w[index] = UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
        }
        for index in 16..<64 {
            let x = w[index - 15], y = w[index - 2]
            let first = rotate(x, 7) ^ rotate(x, 18) ^ (x >> 3)
            let second = rotate(y, 17) ^ rotate(y, 19) ^ (y >> 10)
            w[index] = w[index - 16] &+ first &+ w[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ w[index]
            let other = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ sum, c, b, a, sum &+ other)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] = state[index] &+ value }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }

    private static let constants: [UInt32] = [
        0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
        0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
        0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
        0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
        0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
        0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
    ]
}
