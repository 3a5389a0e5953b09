/// Writes the head of an answer.
enum ResponseHead {
    /// - Returns: The bytes up to and with the empty line.
    /// - Throws: ``ServingError`` `.badResponse` when a name or value would break out of its line: what a handler copied from a request cannot become
    ///   a field.
    static func bytes(status: Int, headers: HTTPHeaders) throws(ServingError) -> [UInt8] {
        guard (100...599).contains(status) else { throw ServingError(.badResponse, "a handler answered with status \(status)") }
        var text = "HTTP/1.1 \(status) \(HTTPStatus.reason(status))\r\n"
        for field in headers.fields {
            guard HTTPText.isToken(Array(field.name.utf8)), field.value.utf8.allSatisfy(HTTPText.isValue) else {
                throw ServingError(.badResponse, "a handler set a header that cannot be sent: \(field.name.debugDescription)")
            }
            text += "\(field.name): \(field.value)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }
}
