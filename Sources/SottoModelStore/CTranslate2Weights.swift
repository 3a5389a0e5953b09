import SottoStreams

/// The weights of a CTranslate2 model file, version 6: a directory of variables, whose values stay on the disk until they are read.
///
/// Source of the format: the published converter and loader of CTranslate2 (`model_spec.py`, `model.cc`), binary version 6.
@safe struct CTranslate2Weights: ~Copyable {
    /// Where a variable's values are.
    struct Variable: Equatable {
        var dimensions: [Int]
        var kind: UInt8
        /// Of the first value, in bytes from the start of the file.
        var offset: Int64
        var size: Int

        var count: Int { dimensions.reduce(1, *) }
    }

    /// Numbers of the value kinds that are read here.
    static let int16: UInt8 = 2
    static let float16: UInt8 = 4
    private static let mostVariables = 100_000
    private static let mostBytes = 1 << 32

    let path: String
    /// The name of the network's description, as `WhisperSpec`.
    let specification: String
    private let file: OpenFile
    private let variables: [String: Variable]

    /// Reads the directory.
    ///
    /// - Throws: ``ModelStoreError`` `.sourceFailed` for anything that is not such a file; `.fileFailed` when it cannot be read.
    init(_ path: String) throws {
        let file = try OpenFile(path, .read)
        let size = try file.facts().size
        var reader = Reader(file, size: size, path: path)
        let version: UInt32 = try reader.number()
        guard version == 6 else { throw Self.fault(path, "its version is \(version), and 6 is known") }
        let specification = try reader.name()
        _ = try reader.number() as UInt32
        let count = Int(try reader.number() as UInt32)
        guard count <= Self.mostVariables else { throw Self.fault(path, "it claims \(count) variables") }
        var variables: [String: Variable] = [:]
        for _ in 0..<count {
            let name = try reader.name()
            let rank = Int(try reader.number() as UInt8)
            guard rank <= 8 else { throw Self.fault(path, "\(name) has \(rank) dimensions") }
            var dimensions: [Int] = []
            var values = 1
            for _ in 0..<rank {
                let dimension = Int(try reader.number() as UInt32)
                let (product, overflow) = values.multipliedReportingOverflow(by: dimension)
                guard overflow == false, product <= Self.mostBytes else { throw Self.fault(path, "\(name) is impossibly large") }
                values = product
                dimensions.append(dimension)
            }
            let kind: UInt8 = try reader.number()
            let bytes = Int(try reader.number() as UInt32)
            let width = [0: 4, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2][kind]
            guard let width, bytes == values * width else { throw Self.fault(path, "\(name) has \(bytes) bytes for \(values) values of kind \(kind)") }
            guard variables.updateValue(Variable(dimensions: dimensions, kind: kind, offset: reader.position, size: bytes), forKey: name) == nil else {
                throw Self.fault(path, "\(name) is there twice")
            }
            try reader.skip(bytes)
        }
        self.path = path
        self.specification = specification
        self.variables = variables
        self.file = file
    }

    /// - Parameter dimensions: What it must have; `nil` for any.
    func variable(_ name: String, _ dimensions: [Int]? = nil) throws(ModelStoreError) -> Variable {
        guard let variable = variables[name] else { throw Self.fault(path, "\(name) is missing") }
        guard dimensions == nil || variable.dimensions == dimensions else {
            throw Self.fault(path, "\(name) has the shape \(variable.dimensions) instead of \(dimensions ?? [])")
        }
        return variable
    }

    func has(_ name: String) -> Bool { variables[name] != nil }

    /// A single small number.
    func scalar(_ name: String) throws -> Int {
        let variable = try variable(name, [])
        guard variable.kind == Self.int16 else { throw Self.fault(path, "\(name) is not a short number") }
        var value: Int16 = 0
        try unsafe withBytes(variable, values: 0..<1, flag: nil) { bytes in value = unsafe bytes.loadUnaligned(as: Int16.self) }
        return Int(Int16(littleEndian: value))
    }

    /// Lends some values of a variable, a megabyte at a time, in order.
    func withBytes(_ variable: Variable, values: Range<Int>, flag: CancellationFlag?, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let width = variable.size / max(1, variable.count)
        let buffer = ByteBuffer()
        var offset = variable.offset + Int64(values.lowerBound * width)
        var left = values.count * width
        while left > 0 {
            if flag?.isCancelled == true { throw CancellationError() }
            let wanted = min(left, buffer.count & ~7)
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<wanted])
            try unsafe file.read(at: offset, into: part)
            try unsafe body(UnsafeRawBufferPointer(part))
            offset += Int64(wanted)
            left -= wanted
        }
    }

    static func fault(_ path: String, _ reason: String) -> ModelStoreError {
        ModelStoreError(.sourceFailed, "\(path) is not the Whisper model that it should be: \(reason). Run: sotto models pull")
    }

    /// Reads the directory's numbers and names in order.
    private struct Reader {
        private(set) var position: Int64 = 0
        private let descriptor: Int32
        private let size: Int64
        private let path: String

        init(_ file: borrowing OpenFile, size: Int64, path: String) {
            descriptor = file.descriptor
            self.size = size
            self.path = path
        }

        mutating func number<Value: FixedWidthInteger>() throws -> Value {
            var value: Value = 0
            try unsafe withUnsafeMutableBytes(of: &value) { try unsafe read(into: $0) }
            return Value(littleEndian: value)
        }

        /// A length of two bytes, then as many characters with a zero at the end.
        mutating func name() throws -> String {
            let length = Int(try number() as UInt16)
            var bytes = [UInt8](repeating: 0, count: length)
            try unsafe bytes.withUnsafeMutableBytes { try unsafe read(into: $0) }
            guard bytes.popLast() == 0, let name = String(validating: bytes, as: UTF8.self) else { throw fault(path, "a name in it is no text") }
            return name
        }

        mutating func skip(_ count: Int) throws {
            guard position + Int64(count) <= size else { throw fault(path, "it ends early") }
            position += Int64(count)
        }

        private mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws {
            guard position + Int64(buffer.count) <= size else { throw fault(path, "it ends early") }
            try unsafe OpenFile.read(descriptor, path: path, at: position, into: buffer)
            position += Int64(buffer.count)
        }
    }
}
