// libcurl; its variadic setters and getters get one function for each kind of argument (the parentheses step around the
// type-checking macros).
#pragma once
#include <curl/curl.h>

static inline CURLcode sotto_curl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode sotto_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode sotto_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode sotto_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode sotto_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(handle, option, value);
}

typedef size_t (*sotto_curl_data_callback)(char *data, size_t size, size_t count, void *context);
static inline CURLcode sotto_curl_set_data_callback(CURL *handle, CURLoption option, sotto_curl_data_callback callback) {
    return (curl_easy_setopt)(handle, option, callback);
}

static inline long sotto_curl_response_code(CURL *handle) {
    long value = 0;
    (curl_easy_getinfo)(handle, CURLINFO_RESPONSE_CODE, &value);
    return value;
}

// The result of the transfer that just ended, or -1 while none has.
static inline int sotto_curl_multi_result(CURLM *multi) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    return message && message->msg == CURLMSG_DONE ? (int)message->data.result : -1;
}

static inline CURLcode sotto_curl_set_open_socket(CURL *handle, curl_opensocket_callback callback) {
    return (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}
// libcurl keeps room for every family behind the field, so it must not be copied.
static inline const struct sockaddr *sotto_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

// Body bytes as they crossed the network, before they were decoded.
static inline curl_off_t sotto_curl_received(CURL *handle) {
    curl_off_t value = 0;
    (curl_easy_getinfo)(handle, CURLINFO_SIZE_DOWNLOAD_T, &value);
    return value;
}
// The numeric address of the connection; belongs to the handle.
static inline const char *sotto_curl_primary_address(CURL *handle) {
    char *value = NULL;
    (curl_easy_getinfo)(handle, CURLINFO_PRIMARY_IP, &value);
    return value;
}
