/* Hashes and one stream cipher, from OpenSSL's libcrypto. None of these can fail on a working
 * library; a library that fails to start a digest ends the process with a sentence. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* One shot. */
void sha256(uint8_t out[32], const void *data, size_t n);
void blake2b_512(uint8_t out[64], const void *data, size_t n);

/* Incremental digests: sha256, blake2b-512 (`parameters.json`), blake2s-256. */
enum hash_kind { HASH_SHA256, HASH_BLAKE2B_512, HASH_BLAKE2S_256 };
struct hash;
struct hash *hash_new(enum hash_kind kind); /* NULL when there is no memory */
void hash_update(struct hash *h, const void *data, size_t n);
/* Writes 32 or 64 bytes and starts afresh. */
void hash_final(struct hash *h, uint8_t *out);
/* Writes the digest of what was fed so far and goes on (for checkpoints). */
void hash_peek(const struct hash *h, uint8_t *out);
void hash_free(struct hash *h); /* accepts NULL */

/* Keyed BLAKE2b with an output of out_n bytes (RFC 7693); key_n <= 64, out_n <= 64. */
void blake2b_keyed(uint8_t *out, size_t out_n, const void *key, size_t key_n, const void *data,
                   size_t n);

/* ChaCha20 (RFC 8439) key stream from byte offset 64 * counter. */
void chacha20_stream(uint8_t *out, size_t n, const uint8_t key[32], const uint8_t nonce[12],
                     uint32_t counter);

#endif
