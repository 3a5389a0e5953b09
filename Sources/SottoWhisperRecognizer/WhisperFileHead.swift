import Foundation

/// The first numbers of a ggml model file. The library takes a file that ends after them for an empty model made for its own tests, and computes with it.
enum WhisperFileHead {
    private static let magic: UInt32 = 0x6767_6D6C

    /// - Returns: What is wrong, for people; `nil` when the file has the size that its head promises at least.
    static func fault(at path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return "it cannot be read" }
        defer { try? file.close() }
        guard let head = try? file.read(upToCount: 48), head.count == 48 else { return "it has hardly a beginning" }
        let numbers = stride(from: 0, to: 48, by: 4).map { at in (0..<4).reduce(UInt32(0)) { $0 | UInt32(head[head.startIndex + at + $1]) << (8 * UInt32($1)) } }
        guard numbers[0] == magic else { return "it is another kind of file" }
        let (words, width) = (Int(numbers[1]), Int(numbers[7]))
        guard (1_000...200_000).contains(words), (64...8_192).contains(width) else { return "its sizes are impossible" }
        // The embedding of the words alone, in the smallest format there is.
        guard let size = try? file.seekToEnd(), Int(size) >= words * width / 4 else { return "it is cut short" }
        return nil
    }
}
