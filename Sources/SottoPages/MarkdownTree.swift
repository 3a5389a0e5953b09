internal import CCmark
internal import Glibc

/// Owns one parsed Markdown document.
@safe struct MarkdownTree: ~Copyable {
    let root: OpaquePointer
    private let parser: OpaquePointer

    /// - Parameter extensions: Names of cmark-gfm's syntax extensions.
    init?(
        _ text: String, options: Int32 = CMARK_OPT_DEFAULT | CMARK_OPT_FOOTNOTES,
        extensions: [String] = ["table", "strikethrough", "autolink", "tasklist"]
    ) {
        cmark_gfm_core_extensions_ensure_registered()
        guard let parser = unsafe cmark_parser_new(options) else { return nil }
        for name in extensions {
            if let found = unsafe cmark_find_syntax_extension(name) { unsafe cmark_parser_attach_syntax_extension(parser, found) }
        }
        unsafe cmark_parser_feed(parser, text, text.utf8.count)
        guard let root = unsafe cmark_parser_finish(parser) else {
            unsafe cmark_parser_free(parser)
            return nil
        }
        unsafe self.root = root
        unsafe self.parser = parser
    }

    /// As HTML; raw HTML and addresses that run programs are left out by cmark itself.
    func html() -> String? {
        guard let text = unsafe cmark_render_html(root, CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser)) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    deinit {
        unsafe cmark_node_free(root)
        unsafe cmark_parser_free(parser)
    }
}
