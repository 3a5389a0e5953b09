// libwebsockets 4.1 as an event loop for sockets that are read and written raw.
#pragma once
#include <libwebsockets.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

// `bytes` are preceded by LWS_PRE bytes that the library may write to.
static inline int sotto_lws_write(struct lws *socket, unsigned char *bytes, size_t count) {
    return lws_write(socket, bytes, count, LWS_WRITE_RAW);
}
static const int sotto_lws_room_before = LWS_PRE;

// The library's log goes to standard error and may hold what clients sent.
static inline void sotto_lws_silence(void) { lws_set_log_level(0, NULL); }

static inline struct lws *sotto_lws_adopt_socket(struct lws_vhost *vhost, int descriptor, const char *protocol, int is_secured) {
    lws_sock_file_fd_type socket = { .sockfd = descriptor };
    return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_SOCKET | (is_secured ? LWS_ADOPT_ALLOW_SSL : 0), socket, protocol, NULL);
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
// TLS: the virtual host gets an empty SSL_CTX, and its callback fills it.
static const uint64_t sotto_lws_secured =
    LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;

static inline int sotto_tls_use(void *context, const char *certificate, int certificate_count, const char *private_key, int private_key_count) {
    SSL_CTX *tls = context;
    BIO *certificate_text = BIO_new_mem_buf(certificate, certificate_count), *key_text = BIO_new_mem_buf(private_key, private_key_count);
    X509 *leaf = certificate_text ? PEM_read_bio_X509(certificate_text, NULL, NULL, NULL) : NULL;
    EVP_PKEY *key = key_text ? PEM_read_bio_PrivateKey(key_text, NULL, NULL, NULL) : NULL;
    int is_used = tls && leaf && key && SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION) == 1 && SSL_CTX_use_certificate(tls, leaf) == 1
        && SSL_CTX_use_PrivateKey(tls, key) == 1 && SSL_CTX_check_private_key(tls) == 1;
    EVP_PKEY_free(key);
    X509_free(leaf);
    BIO_free(key_text);
    BIO_free(certificate_text);
    return is_used;
}

// Tells the other side that nothing more comes, so that it can tell an end from a cut.
static inline void sotto_tls_end_output(struct lws *socket) {
    SSL *tls = lws_get_ssl(socket);
    if (tls && SSL_is_init_finished(tls)) SSL_shutdown(tls);
}

static inline void sotto_lws_no_timeout(struct lws *socket) { lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0); }
