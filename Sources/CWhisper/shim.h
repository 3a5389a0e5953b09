#pragma once
// ggml.h beside it is llama.cpp's: whisper.cpp is built on it. No Swift file imports this module together with CLlama.
#include <whisper.h>

/// Sends what whisper.cpp says to `forward`. whisper_log_set also takes over the one logger of ggml, which belongs to llama.cpp once that has set it.
static inline void sotto_whisper_set_log(ggml_log_callback forward) {
    ggml_log_callback before = NULL, original = NULL;
    void *data = NULL, *none = NULL;
    ggml_log_get(&before, &data);
    ggml_log_set(NULL, NULL);
    ggml_log_get(&original, &none);
    whisper_log_set(forward, NULL);
    if (before != original) ggml_log_set(before, data);
}
