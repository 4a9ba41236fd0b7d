#include "r1cs/terms.h"

#include <string.h>

/* Below this an insertion sort wins: most rows have two or three terms. */
enum { INSERTION_MAX = 40 };

static void insertion_sort(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t at = i;

        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* One stable pass over byte `shift / 8`; false (and nothing moved) if all keys share that byte. */
static bool radix_pass(uint64_t *to, const uint64_t *from, size_t n, unsigned shift)
{
    size_t at[256] = {0};

    for (size_t i = 0; i < n; i++)
        at[from[i] >> shift & 255]++;
    if (at[from[0] >> shift & 255] == n)
        return false;
    for (size_t digit = 0, sum = 0; digit < 256; digit++) {
        size_t count = at[digit];

        at[digit] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i] >> shift & 255]++] = from[i];
    return true;
}

/* Long rows (a packed sum has hundreds of terms) by radix, over the variable's four bytes only. */
void terms_sort(uint64_t *keys, size_t n, uint64_t *scratch)
{
    uint64_t *from = keys, *to = scratch;

    if (n <= INSERTION_MAX) {
        insertion_sort(keys, n);
        return;
    }
    for (unsigned shift = 32; shift < 64; shift += 8)
        if (radix_pass(to, from, n, shift)) {
            uint64_t *swap = from;

            from = to;
            to = swap;
        }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

static bool is_zero(const struct scalar *a)
{
    return (a->w[0] | a->w[1] | a->w[2] | a->w[3]) == 0;
}

enum cuzk_status terms_merge(uint64_t *keys, size_t n, struct dictionary *coefs,
                             const struct curve *curve, size_t *ret_n, struct cuzk_error *err)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < n; i = end) {
        struct scalar sum = dictionary_value(coefs, term_coef(keys[i]));
        uint32_t coef = term_coef(keys[i]);

        for (end = i + 1; end < n && term_var(keys[end]) == term_var(keys[i]); end++) {
            struct scalar more = dictionary_value(coefs, term_coef(keys[end]));

            curve->fr_add(&sum, &sum, &more);
        }
        if (is_zero(&sum))
            continue;
        if (end > i + 1)
            TRY(dictionary_add(coefs, &sum, &coef, err));
        keys[kept++] = term_key(term_var(keys[i]), coef);
    }
    *ret_n = kept;
    return CUZK_OK;
}
