/// What went wrong with a model, in a message that says what to do.
public struct ModelStoreError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The manifest could not be found, read or trusted.
        case manifestNotFound, invalidManifest
        /// The name is neither a model nor a set of the manifest.
        case unknownModel
        /// The model is not there, or not whole.
        case notInstalled
        /// No source of the manifest can deliver the file on this machine.
        case noSource
        /// Every source failed; the message holds the reason of each.
        case sourceFailed
        /// No Python with pip was found.
        case noPackageInstaller
        /// The disk has less room than the pull needs.
        case notEnoughSpace
        /// Bytes arrived, but not those that the manifest names.
        case wrongContents
        /// A file of the store could not be read or written.
        case fileFailed
        /// The file to import is not one that the model needs.
        case importMismatch
    }

    public var code: Code
    /// What failed and what to do about it, in one or two sentences.
    public var message: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
