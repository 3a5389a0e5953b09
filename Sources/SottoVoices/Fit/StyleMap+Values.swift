extension StyleMap {
    static let standardBase64 = ""
}
