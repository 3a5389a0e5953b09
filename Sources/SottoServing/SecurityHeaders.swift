/// Fields that every answer carries, so that a browser keeps the app to itself.
enum SecurityHeaders {
    /// Nothing but the server's own files; no inline script; nothing may frame it. `blob:` is how a page plays audio that it fetched.
    static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "media-src 'self' blob:", "font-src 'self'",
        "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let always: [HTTPHeaders.Field] = [
        .init("Content-Security-Policy", contentSecurityPolicy),
        .init("X-Content-Type-Options", "nosniff"),
        .init("X-Frame-Options", "DENY"),
        .init("Referrer-Policy", "no-referrer"),
        .init("Cross-Origin-Opener-Policy", "same-origin"),
        .init("Cross-Origin-Resource-Policy", "same-origin"),
        .init("Cross-Origin-Embedder-Policy", "require-corp"),
        .init("Permissions-Policy", "microphone=(self), camera=(self), geolocation=(), payment=(), usb=()"),
    ]

    /// Adds them; what a handler set of the same name is replaced, and what would open the server to other origins is taken out.
    static func add(to headers: inout HTTPHeaders) {
        for field in always { headers.set(field.name, field.value) }
        for name in headers.fields.map(\.name) where name.lowercased().hasPrefix("access-control-") { headers.remove(name) }
        if headers["Cache-Control"] == nil { headers.set("Cache-Control", "no-store") }
    }
}
