// OpenSSL's digests: SHA-256 with the processor's own instructions (about 1.8 GB/s where SHA-NI is there).
#pragma once
#include <openssl/evp.h>
