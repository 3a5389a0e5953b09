package import CCurl

/// Owns one libcurl multi handle.
///
/// `@unchecked Sendable`: `wake()` may be called from any thread, as libcurl documents for `curl_multi_wakeup`; everything
/// else is called by the one thread that runs the transfer.
@safe package final class MultiHandle: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer

    package init?() {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
    }

    deinit { _ = unsafe curl_multi_cleanup(multi) }

    package func wake() { _ = unsafe curl_multi_wakeup(multi) }

    package func add(_ easy: UnsafeMutableRawPointer) { _ = unsafe curl_multi_add_handle(multi, easy) }
    package func remove(_ easy: UnsafeMutableRawPointer) { _ = unsafe curl_multi_remove_handle(multi, easy) }

    /// Does what can be done without waiting.
    package func step() -> Bool {
        var running: Int32 = 0
        return unsafe curl_multi_perform(multi, &running) == CURLM_OK
    }

    /// Waits for traffic, a wake-up or the time.
    package func wait(milliseconds: Int32) { _ = unsafe curl_multi_poll(multi, nil, 0, milliseconds, nil) }

    /// The transfer's result, once; `nil` while it runs.
    package var result: CURLcode? {
        let code = unsafe sotto_curl_multi_result(multi)
        return code < 0 ? nil : CURLcode(UInt32(code))
    }
}
