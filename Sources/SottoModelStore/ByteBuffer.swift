/// A megabyte of scratch memory, freed once.
@safe final class ByteBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    let count: Int

    init(count: Int = 1 << 20) {
        self.count = count
        unsafe bytes = .allocate(byteCount: count, alignment: 64)
    }

    deinit { unsafe bytes.deallocate() }
}
