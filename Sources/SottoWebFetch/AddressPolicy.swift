package import SottoFetching

/// Decides which addresses may be dialed for which host.
package struct AddressPolicy: Sendable {
    /// Addresses outside the package internet that are let through all the same.
    private let exception: @Sendable (_ address: IPAddress, _ origin: WebOrigin) -> Bool

    /// Public addresses only.
    package init() { exception = { _, _ in false } }

    /// For tests, whose servers stand on this machine.
    package init(exception: @escaping @Sendable (_ address: IPAddress, _ origin: WebOrigin) -> Bool) { self.exception = exception }

    /// - Parameters:
    ///   - addresses: All that the host's name stands for. One bad one spoils them: an honest name has none.
    ///   - isAllowed: The origin is the configured provider's own, and this is its own request.
    /// - Throws: ``FetchError`` with `.forbiddenAddress`.
    func check(_ addresses: [IPAddress], of origin: WebOrigin, isAllowed: Bool) throws(FetchError) {
        for address in addresses {
            let scope = AddressScope(address)
            guard scope != .global, exception(address, origin) == false else { continue }
            // Metadata services hold keys, and nobody searches there.
            if isAllowed, scope != .metadata, scope != .multicast, scope != .unspecified { continue }
            let place = origin.host == address.description ? origin.host : "\(origin.host) (\(address))"
            throw FetchError(
                .forbiddenAddress,
                "\(place) is not asked: that address belongs to \(scope.words), and the web may not lead there; "
                    + "to read a page of your own, save it and name the file")
        }
    }
}
