// libwebsockets 4.1 as an event loop for sockets that are read and written raw.
#pragma once
#include <libwebsockets.h>

// `bytes` are preceded by LWS_PRE bytes that the library may write to.
static inline int sotto_lws_write(struct lws *socket, unsigned char *bytes, size_t count) {
    return lws_write(socket, bytes, count, LWS_WRITE_RAW);
}
static const int sotto_lws_room_before = LWS_PRE;

// The library's log goes to standard error and may hold what clients sent.
static inline void sotto_lws_silence(void) { lws_set_log_level(0, NULL); }

static inline struct lws *sotto_lws_adopt_socket(struct lws_vhost *vhost, int descriptor, const char *protocol) {
    lws_sock_file_fd_type socket = { .sockfd = descriptor };
    return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_SOCKET, socket, protocol, NULL);
}
static inline struct lws *sotto_lws_adopt_file(struct lws_vhost *vhost, int descriptor, const char *protocol) {
    lws_sock_file_fd_type file = { .filefd = descriptor };
    return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, file, protocol, NULL);
}

// Closes in the loop's next turn. Only this way of closing is final: when a callback asks for it, or LWS_TO_KILL_SYNC does, the library shuts its
// direction down and then waits without reading, and turns without pause as soon as the peer sends anything (4.1, raw-skt in state LRS_SHUTDOWN).
static inline void sotto_lws_close_soon(struct lws *socket) {
    lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}
static inline void sotto_lws_no_timeout(struct lws *socket) { lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0); }
