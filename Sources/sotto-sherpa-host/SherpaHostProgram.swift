import Foundation
import SottoSherpaChild

/// The program that Sotto starts for models of sherpa-onnx. Its one argument is the folder of the library.
///
/// A program of its own, not a subcommand: `sotto` is linked with another ONNX Runtime, and the two must not meet in a process.
@main
enum SherpaHostProgram {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else {
            FileHandle.standardError.write(
                Data("usage: sotto-sherpa-host FOLDER\nStarted by sotto, which speaks with it on standard input and output.\n".utf8))
            exit(2)
        }
        SherpaChild(library: arguments[1]).run()
    }
}
