internal import Glibc

/// C strings that live as long as the pool, for structures full of them.
@safe struct CStringPool: ~Copyable {
    private var pointers: [UnsafeMutablePointer<CChar>]

    init() { unsafe pointers = [] }

    deinit { unsafe pointers.forEach { unsafe free($0) } }

    /// A copy of the text; `nil` for an empty one.
    mutating func borrow(_ text: String) -> UnsafePointer<CChar>? {
        guard text.isEmpty == false, let copy = unsafe strdup(text) else { return nil }
        unsafe pointers.append(copy)
        return unsafe UnsafePointer(copy)
    }
}
