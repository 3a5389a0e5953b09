internal import Foundation

/// Finds the program that listens on a port, in what the kernel shows of this machine.
enum PortHolder {
    /// - Returns: Such as `python3 (process 1234)`; `nil` when it is another user's or nobody's.
    static func find(port: Int) -> String? {
        let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].reduce(into: Set<String>()) { inodes, path in
            inodes.formUnion(inodesListening(on: port, table: (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""))
        }
        guard inodes.isEmpty == false else { return nil }
        let links = Set(inodes.map { "socket:[\($0)]" })
        let files = FileManager.default
        for process in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] where process.allSatisfy(\.isNumber) {
            for descriptor in (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? [] {
                guard let link = try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(descriptor)"), links.contains(link) else {
                    continue
                }
                let name = (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))?.split(separator: "\n").first ?? "a program"
                return "\(name) (process \(process))"
            }
        }
        return nil
    }

    /// The inodes of sockets in state 0A (listening) on a port, from a table of `/proc/net` (proc(5)).
    static func inodesListening(on port: Int, table: String) -> Set<String> {
        var inodes: Set<String> = []
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", let local = fields[1].split(separator: ":").last, Int(local, radix: 16) == port else {
                continue
            }
            inodes.insert(String(fields[9]))
        }
        return inodes
    }
}
