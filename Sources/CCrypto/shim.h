// OpenSSL's digests: SHA-256 with the processor's own instructions (about 1.8 GB/s where SHA-NI is there). Keys and certificates.
#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// EVP_EC_gen is a macro over a function with a variable number of arguments.
static inline EVP_PKEY *sotto_new_p256_key(void) { return EVP_EC_gen("P-256"); }

// Alternative names of a certificate: stacks are macros, and the kinds of names a union.
static inline int sotto_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline void sotto_free_names(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }
// How many bytes the name has, 0 for a kind that names no server. They belong to the list.
static inline int sotto_name(const GENERAL_NAMES *names, int index, const unsigned char **bytes, int *is_address) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) return 0;
    const ASN1_STRING *text = name->type == GEN_DNS ? (const ASN1_STRING *)name->d.dNSName : (const ASN1_STRING *)name->d.iPAddress;
    *is_address = name->type == GEN_IPADD;
    *bytes = ASN1_STRING_get0_data(text);
    return ASN1_STRING_length(text);
}
