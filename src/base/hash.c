#include "base/hash.h"

#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void must(int ok, const char *what)
{
    if (ok != 1) {
        fprintf(stderr, "cuzk: libcrypto failed: %s\n", what);
        abort();
    }
}

void sha256(uint8_t out[32], const void *data, size_t n)
{
    SHA256(data, n, out);
}

void blake2b_512(uint8_t out[64], const void *data, size_t n)
{
    must(EVP_Digest(data, n, out, NULL, EVP_blake2b512(), NULL), "blake2b");
}

struct hash {
    EVP_MD_CTX *ctx;
    const EVP_MD *md;
};

struct hash *hash_new(enum hash_kind kind)
{
    struct hash *h = mem_new(sizeof *h);

    if (!h)
        return NULL;
    h->md = kind == HASH_SHA256      ? EVP_sha256()
            : kind == HASH_BLAKE2B_512 ? EVP_blake2b512()
                                       : EVP_blake2s256();
    h->ctx = EVP_MD_CTX_new();
    if (!h->ctx) {
        mem_free(h);
        return NULL;
    }
    must(EVP_DigestInit_ex(h->ctx, h->md, NULL), "digest init");
    return h;
}

void hash_update(struct hash *h, const void *data, size_t n)
{
    must(EVP_DigestUpdate(h->ctx, data, n), "digest update");
}

void hash_final(struct hash *h, uint8_t *out)
{
    must(EVP_DigestFinal_ex(h->ctx, out, NULL), "digest final");
    must(EVP_DigestInit_ex(h->ctx, h->md, NULL), "digest init");
}

void hash_peek(const struct hash *h, uint8_t *out)
{
    EVP_MD_CTX *copy = EVP_MD_CTX_new();

    must(copy != NULL, "no memory");
    must(EVP_MD_CTX_copy_ex(copy, h->ctx), "digest copy");
    must(EVP_DigestFinal_ex(copy, out, NULL), "digest final");
    EVP_MD_CTX_free(copy);
}

void hash_free(struct hash *h)
{
    if (h)
        EVP_MD_CTX_free(h->ctx);
    mem_free(h);
}

void blake2b_keyed(uint8_t *out, size_t out_n, const void *key, size_t key_n, const void *data,
                   size_t n)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
    EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
    size_t size = out_n;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end()};

    must(ctx != NULL, "BLAKE2BMAC");
    must(EVP_MAC_init(ctx, key, key_n, params), "mac init");
    must(EVP_MAC_update(ctx, data, n), "mac update");
    must(EVP_MAC_final(ctx, out, &size, out_n), "mac final");
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
}

void chacha20_stream(uint8_t *out, size_t n, const uint8_t key[32], const uint8_t nonce[12],
                     uint32_t counter)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t iv[16];

    must(ctx != NULL, "no memory");
    for (int i = 0; i < 4; i++)
        iv[i] = (uint8_t)(counter >> (8 * i));
    memcpy(iv + 4, nonce, 12);
    must(EVP_EncryptInit_ex(ctx, EVP_chacha20(), NULL, key, iv), "chacha20 init");
    memset(out, 0, n);
    for (size_t at = 0; at < n;) {
        int step = n - at < 1 << 20 ? (int)(n - at) : 1 << 20, got = 0;

        must(EVP_EncryptUpdate(ctx, out + at, &got, out + at, step), "chacha20");
        at += (size_t)step;
    }
    EVP_CIPHER_CTX_free(ctx);
}
