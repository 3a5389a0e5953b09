import Foundation
import SottoHTTPServer
import SottoServing

/// What lets devices of the home network in: an own port, with TLS and a certificate of this installation.
struct Network: Sendable {
    /// Addresses by which this machine is reached, the likeliest first.
    let addresses: [String]
    let names: [String]
    let certificate: ServerCertificate

    /// - Parameter path: Of the file that keeps certificate and key, for this user alone. Made anew when it is over, or names other addresses.
    /// - Throws: ``CommandError`` when this machine is in no network.
    init(path: String, now: Date) throws {
        addresses = LocalAddresses.list()
        guard addresses.isEmpty == false else { throw CommandError("this machine is in no network, so no other device can reach it") }
        let host = ProcessInfo.processInfo.hostName.lowercased().split(separator: ".").first.map(String.init) ?? ""
        // Names that a home network knows by itself.
        names = host.isEmpty || host == "localhost" ? [] : [host, host + ".local"]
        let wanted = Set(addresses + names)
        let moment = Int(now.timeIntervalSince1970)
        if let kept = Self.read(path), wanted.isSubset(of: kept.names), kept.end > moment + 30 * 86_400 {
            certificate = kept
            return
        }
        do throws(ServingError) { certificate = try ServerCertificate.make(names: addresses + names, at: moment) } catch {
            throw CommandError(error.message)
        }
        guard PrivateFile.write(Data((certificate.certificate + certificate.privateKey).utf8), to: path) else {
            throw CommandError("\(path) cannot be written; check who owns its folder")
        }
    }

    private static func read(_ path: String) -> ServerCertificate? {
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self),
            let border = text.range(of: "-----END CERTIFICATE-----\n")
        else { return nil }
        return try? ServerCertificate(certificate: String(text[..<border.upperBound]), privateKey: String(text[border.upperBound...]))
    }

    /// By which a browser may call the server.
    func hosts(port: Int) -> Set<String> {
        let names = Set((addresses + names).map { $0.contains(":") ? "[\($0)]" : $0 })
        return Set(names.map { "\($0):\(port)" } + (port == 443 ? names : []))
    }
}
