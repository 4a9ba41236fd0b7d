/* Transforms: how passes make them, and the tables they share.
 *
 * N = n0 n1 .. (at most four digits, each 2^3 .. 2^9; below 8 elements a kernel of its own). Write
 * an index of the coefficients as k = k0 + n0 (k1 + n1 (k2 ..)). A transform is one pass a digit,
 * each a DFT over that digit, in place, followed by a product:
 *
 *   inverse   digit 0, 1, .., last    values in natural order -> coefficients in digit order
 *   forward   digit last, .., 1, 0    coefficients in digit order -> values in natural order
 *
 * where in digit order coefficient k lies at position (k0 n1 + k1) n2 + k2 .. So a transform and
 * its inverse together need no reordering; only H_POWERS and a lone `ntt` permute once, and
 * quotient_c for H_POWERS twice.
 *
 * After the pass over digit p < last the product is with the twiddle w_p^(k_p x), w_p of order
 * N_p = N / (n0 .. n_{p-1}), x = position mod N_p / n_p: a table of N_p constants found at
 * position mod N_p, in both directions. Everything else that multiplies hides in the tables:
 *
 *   - the coset: forward tables carry g^(k_p n0 .. n_{p-1}) in row k_p, and the last digit's part
 *     g^(M k_last), M = N / n_last, is the product after the last inverse pass;
 *   - 1/N, 1/Z and the 2^256 of a Montgomery product: in that last product too.
 *
 * Hence a forward transform is always onto the coset g <w>; onto <w> itself it is preceded by a
 * product with g^-(k mod M).
 *
 * Tables: 2 x 64 bytes x (N + N/512 + ..), from 2^27 elements on 2 x 32 x N for the first digit,
 * whose Montgomery products take 2 % of a quotient: 8.6 GB at 2^27. TABLES_SMALL splits the first
 * digit's: with x = x1 2^s + x0 the twiddle w^(k x) is w^(k x0) times (w^(2^s))^(k x1), two products
 * by constants out of tables of n0 2^s and N / 2^s: 0.1 GB at 2^27, and 5 % of a quotient. */
#include "backend/cuda/cuda_domain.h"

#include <string.h>

enum { LOW_BITS = 14, LOW = 1 << LOW_BITS };

unsigned cuda_compact_from = 27;

/* Are the twiddles after digit p made of two? */
static bool is_split(const struct domain *d, unsigned p)
{
    return p == 0 && d->digits.n > 1 && d->tables == TABLES_SMALL;
}

/* Are they in Montgomery form? */
static bool is_compact(const struct domain *d, unsigned p)
{
    return p == 0 && d->tables == TABLES_FAST && d->lg_n >= cuda_compact_from;
}

static struct ntt_digits digits_of(unsigned lg_n)
{
    struct ntt_digits d = {0};

    while (lg_n > 9) {
        d.lg[d.n] = lg_n >= 13 ? 9 : 6;
        lg_n -= d.lg[d.n++];
    }
    d.lg[d.n++] = lg_n;
    return d;
}

/* N_p */
static unsigned lg_level(const struct domain *d, unsigned p)
{
    unsigned lg = d->lg_n;

    for (unsigned i = 0; i < p; i++)
        lg -= d->digits.lg[i];
    return lg;
}

/* Of a split table: x of digit 0, and s. */
static unsigned lg_x(const struct domain *d)
{
    return lg_level(d, 1);
}
static unsigned lg_low(const struct domain *d)
{
    return lg_x(d) / 2;
}

static unsigned lg_high(unsigned lg_n)
{
    return lg_n > LOW_BITS ? lg_n - LOW_BITS : 0;
}

/* Assigns the tables' places from `base` on; returns the bytes they take. */
static size_t place_tables(struct domain *d, uint8_t *base)
{
    size_t used = 0;
    const unsigned last = d->digits.n - 1;
    const size_t n_last = (size_t)1 << d->digits.lg[last];
    const size_t n_high = (size_t)1 << lg_high(d->lg_n);

#define PLACE(where, n) (where) = cuda_place(base, &used, CUDA_CONST_BYTES * (size_t)(n))
    for (int dir = 0; dir < 2; dir++) {
        for (unsigned p = 0; p <= last; p++)
            PLACE(d->inner[dir][p], (size_t)9 << (d->digits.lg[p] - 3));
        for (unsigned p = 0; p < last; p++)
            PLACE(d->twiddle[dir][p],
                  (size_t)1 << (is_split(d, p) ? d->digits.lg[0] + lg_low(d)
                                               : lg_level(d, p) - is_compact(d, p)));
        if (is_split(d, 0))
            PLACE(d->twiddle_high[dir], (size_t)1 << (d->lg_n - lg_low(d)));
    }
    for (int i = 0; i < LAST_N; i++)
        PLACE(d->last[i], n_last);
    PLACE(d->back_low, LOW);
    PLACE(d->back_high, n_high);
    PLACE(d->odd_low, LOW);
    PLACE(d->odd_high, n_high);
#undef PLACE
    return used;
}

/* Montgomery powers from which the tables are made: of the two roots and of the row factor. */
static size_t seed_bytes(unsigned lg_n)
{
    return cuda_piece(32 * (size_t)LOW) * 2 + cuda_piece((size_t)32 << lg_high(lg_n)) +
           cuda_piece(32);
}

size_t cuda_domain_bytes(const struct curve *curve, unsigned lg_n, enum domain_tables tables)
{
    struct domain d = {.lg_n = lg_n, .digits = digits_of(lg_n), .tables = tables};

    (void)curve;
    return lg_n < 3 ? 0 : cuda_piece(place_tables(&d, NULL)) + cuda_piece(seed_bytes(lg_n));
}

/* ---- making the tables ---------------------------------------------------------------------- */

static struct scalar power(const struct curve *curve, const struct scalar *x, unsigned lg_e)
{
    struct scalar r = *x;

    for (unsigned i = 0; i < lg_e; i++)
        curve->fr_mul(&r, &r, &r);
    return r;
}

/* w^(row col) g^row; g NULL: without. 2^lg_w: the order of w. */
struct twiddles {
    uint8_t *table;
    bool mont;
    unsigned lg_rows, lg_cols, lg_w;
    const struct scalar *w, *g;
};
static enum cuzk_status make_twiddles(const struct domain *d, const struct twiddles *t,
                                      uint8_t *seeds, struct cuzk_error *err)
{
    uint8_t *w_low = seeds, *g_low = w_low + cuda_piece(32 * (size_t)LOW);
    uint8_t *g_high = g_low + cuda_piece(32 * (size_t)LOW), *w_high = g_high + cuda_piece(32);

    TRY(CU(d->kernels->mont_powers(w_low, t->w, 1, LOW, NULL), err));
    TRY(CU(d->kernels->mont_powers(w_high, t->w, LOW, (size_t)1 << lg_high(t->lg_w), NULL), err));
    if (t->g) {
        TRY(CU(d->kernels->mont_powers(g_low, t->g, 1, LOW, NULL), err));
        TRY(CU(d->kernels->mont_powers(g_high, t->g, LOW, 1, NULL), err));
    }
    return CU(d->kernels->twiddle_table(t->table, t->mont, t->lg_rows, t->lg_cols, w_low, w_high,
                                        t->g ? g_low : NULL, t->g ? g_high : NULL, NULL),
              err);
}

static enum cuzk_status make_direction(struct domain *d, enum direction dir, uint8_t *seeds,
                                       struct cuzk_error *err)
{
    const struct curve *curve = d->device->curve;
    unsigned done = 0;

    for (unsigned p = 0; p < d->digits.n; p++) {
        const unsigned lg_digit = d->digits.lg[p], lg_p = d->lg_n - done;
        const unsigned lg_cols = is_split(d, p) ? lg_low(d) : lg_p - lg_digit;
        const struct scalar w_p = power(curve, &d->root[dir], done);
        const struct scalar w_digit = power(curve, &d->root[dir], d->lg_n - lg_digit);
        const struct scalar w_eighth = power(curve, &w_digit, 3);
        const struct scalar w_high = power(curve, &w_p, lg_cols);
        const struct scalar g_p = power(curve, &d->g, done);
        struct twiddles t = {d->inner[dir][p], false, 3, lg_digit - 3, lg_digit, &w_digit, NULL};

        TRY(make_twiddles(d, &t, seeds, err));
        t.table += (size_t)CUDA_CONST_BYTES << lg_digit;
        if (lg_digit >= 6) {
            t = (struct twiddles){t.table, false, 3, lg_digit - 6, lg_digit - 3, &w_eighth, NULL};
            TRY(make_twiddles(d, &t, seeds, err));
        }
        if (p < d->digits.n - 1) {
            t = (struct twiddles){
                d->twiddle[dir][p], is_compact(d, p), lg_digit, lg_cols, lg_p, &w_p, NULL};
            t.g = dir == FORWARD ? &g_p : NULL;
            TRY(make_twiddles(d, &t, seeds, err));
        }
        if (is_split(d, p)) {
            t = (struct twiddles){d->twiddle_high[dir], false,   lg_digit, lg_x(d) - lg_cols,
                                  lg_p - lg_cols,       &w_high, NULL};
            TRY(make_twiddles(d, &t, seeds, err));
        }
        done += lg_digit;
    }
    return CUZK_OK;
}

static enum cuzk_status make_powers(const struct domain *d, uint8_t *low, uint8_t *high,
                                    const struct scalar *x, struct cuzk_error *err)
{
    const struct scalar one = {{1}};

    TRY(CU(d->kernels->const_powers(low, &one, x, 1, LOW, NULL), err));
    return CU(d->kernels->const_powers(high, &one, x, LOW, (size_t)1 << lg_high(d->lg_n), NULL),
              err);
}

static enum cuzk_status make_last(struct domain *d, struct cuzk_error *err)
{
    const struct curve *curve = d->device->curve;
    const unsigned lg_last = d->digits.lg[d->digits.n - 1];
    const size_t n_last = (size_t)1 << lg_last;
    const struct scalar one = {{1}}, two = {{2}};
    const struct scalar g_m = power(curve, &d->g, d->lg_n - lg_last);
    struct scalar z = power(curve, &d->g, d->lg_n), mont, mont_z, n_z, g_m_inverse;

    curve->fr_sub(&z, &z, &one);
    curve->fr_inv(&z, &z);
    curve->fr_pow(&mont, &two, 256);
    curve->fr_mul(&mont, &mont, &d->n_inverse);
    curve->fr_mul(&mont_z, &mont, &z);
    curve->fr_mul(&n_z, &d->n_inverse, &z);
    curve->fr_inv(&g_m_inverse, &g_m);
    const struct {
        const struct scalar *first, *base;
    } tables[LAST_N] = {
        [LAST_PLAIN] = {&d->n_inverse, &one},
        [LAST_COSET] = {&d->n_inverse, &g_m},
        [LAST_MONT_COSET] = {&mont, &g_m},
        [LAST_MONT_PLAIN] = {&mont, &one},
        [LAST_MONT] = {&mont_z, &one},
        [LAST_Z] = {&n_z, &one},
        [LAST_MONT_BACK] = {&mont_z, &g_m_inverse},
        [LAST_G] = {&one, &g_m},
    };
    for (int i = 0; i < LAST_N; i++)
        TRY(CU(
            d->kernels->const_powers(d->last[i], tables[i].first, tables[i].base, 1, n_last, NULL),
            err));
    return CUZK_OK;
}

static enum cuzk_status make_tables(struct domain *d, struct cuzk_error *err)
{
    const struct curve *curve = d->device->curve;
    struct piece *seeds = NULL;
    struct scalar w8, odd;
    enum cuzk_status st;

    if (!curve->fr_root(&w8, curve->fr_generator.w[0], 3))
        return error_set(err, CUZK_INTERNAL, "domain: no 8th root");
    if (!curve->fr_root(&odd, d->g_generator, d->lg_n + 1))
        curve->fr_mul(&odd, &d->g, &d->g);
    for (int dir = 0; dir < 2; dir++) {
        const struct scalar w = power(curve, &d->root[dir], d->lg_n - 3);

        for (unsigned e = 1; e < 8; e += 2) {
            struct scalar x;

            curve->fr_pow(&x, &w8, e);
            if (memcmp(&x, &w, sizeof x) == 0)
                d->root_power[dir] = e;
        }
    }
    TRY(cuda_take(d->device, place_tables(d, NULL), &d->piece, err));
    (void)place_tables(d, cuda_at(d->device, d->piece));
    TRY(cuda_take(d->device, seed_bytes(d->lg_n), &seeds, err));
    TRY_GOTO(st, out, make_direction(d, FORWARD, cuda_at(d->device, seeds), err));
    TRY_GOTO(st, out, make_direction(d, INVERSE, cuda_at(d->device, seeds), err));
    TRY_GOTO(st, out, make_last(d, err));
    TRY_GOTO(st, out, make_powers(d, d->back_low, d->back_high, &d->g_inverse, err));
    curve->fr_mul(&odd, &odd, &d->g_inverse);
    TRY_GOTO(st, out, make_powers(d, d->odd_low, d->odd_high, &odd, err));
    st = CU(cudaStreamSynchronize(NULL), err);
out:
    cuda_give(d->device, seeds);
    return st;
}

enum cuzk_status cuda_domain_new(struct device *device, unsigned lg_n, uint64_t g,
                                 enum domain_tables tables, struct domain **ret,
                                 struct cuzk_error *err)
{
    const struct curve *curve = device->curve;
    struct domain *d;
    enum cuzk_status st = CUZK_OK;

    if (lg_n > 28)
        return error_set(err, CUZK_USAGE, "domain of 2^%u: at most 2^28", lg_n);
    d = mem_new(sizeof *d);
    if (!d)
        return error_set(err, CUZK_NO_MEMORY, "domain: out of memory");
    d->device = device;
    d->kernels = device->kernels;
    d->lg_n = lg_n;
    d->tables = tables;
    d->g_generator = g;
    d->g = (struct scalar){{g}};
    d->digits = digits_of(lg_n);
    if (!curve->fr_root(&d->root[FORWARD], g, lg_n)) {
        mem_free(d);
        return error_set(err, CUZK_USAGE, "domain: generator %llu has no root of order 2^%u",
                         (unsigned long long)g, lg_n);
    }
    curve->fr_inv(&d->root[INVERSE], &d->root[FORWARD]);
    curve->fr_inv(&d->g_inverse, &d->g);
    d->n_inverse = (struct scalar){{(uint64_t)1 << lg_n}};
    curve->fr_inv(&d->n_inverse, &d->n_inverse);
    if (lg_n >= 3)
        st = make_tables(d, err);
    if (st == CUZK_OK)
        *ret = d;
    else
        cuda_domain_free(d);
    return st;
}

void cuda_domain_free(struct domain *d)
{
    if (!d)
        return;
    cuda_give(d->device, d->piece);
    mem_free(d);
}

/* ---- transforms ----------------------------------------------------------------------------- */

static struct ntt_pass pass_over(const struct domain *d, enum direction dir, unsigned p,
                                 const void *from, void *to)
{
    return (struct ntt_pass){.from = from,
                             .to = to,
                             .lg_n = d->lg_n,
                             .lg_points = d->digits.lg[p],
                             .lg_stride = lg_level(d, p + 1),
                             .root_power = d->root_power[dir],
                             .inner = d->inner[dir][p]};
}

/* The product after the pass is with the twiddles of digit p; those of digit 0 are N, one for each
 * position, so that a compact table is just another vector. */
static void set_twiddles(struct ntt_pass *pass, const struct domain *d, enum direction dir,
                         unsigned p)
{
    if (is_compact(d, p)) {
        pass->other = d->twiddle[dir][p];
        return;
    }
    pass->table = d->twiddle[dir][p];
    pass->mask = ((uint64_t)1 << lg_level(d, p)) - 1;
    if (is_split(d, p)) {
        pass->table_high = d->twiddle_high[dir];
        pass->lg_x = lg_x(d);
        pass->lg_low = lg_low(d);
    }
}

/* natural -> digit order, the last product from `last`; `data` is overwritten, the result in `to`
 */
static enum cuzk_status inverse(const struct domain *d, void *data, void *to, enum last_table last,
                                cudaStream_t stream, struct cuzk_error *err)
{
    for (unsigned p = 0; p < d->digits.n; p++) {
        const bool is_last = p + 1 == d->digits.n;
        struct ntt_pass pass = pass_over(d, INVERSE, p, data, is_last ? to : data);

        if (is_last) {
            pass.table = d->last[last];
            pass.mask = ((uint64_t)1 << d->digits.lg[p]) - 1;
        } else {
            set_twiddles(&pass, d, INVERSE, p);
        }
        pass.canonical = is_last;
        TRY(CU(d->kernels->ntt_pass(&pass, stream), err));
    }
    return CUZK_OK;
}

/* digit order in `from` -> natural in `data`, onto the coset; `other`: Montgomery product with it,
 * or NULL */
static enum cuzk_status forward(const struct domain *d, const void *from, void *data,
                                const void *other, cudaStream_t stream, struct cuzk_error *err)
{
    for (unsigned p = d->digits.n; p-- > 0;) {
        struct ntt_pass pass = pass_over(d, FORWARD, p, from, data);

        if (p > 0) {
            set_twiddles(&pass, d, FORWARD, p - 1);
        } else {
            pass.other = other;
            pass.canonical = true;
        }
        TRY(CU(d->kernels->ntt_pass(&pass, stream), err));
        from = data;
    }
    return CUZK_OK;
}

static struct ntt_permute permute_of(const struct domain *d, void *out, const void *in,
                                     enum ntt_order order)
{
    return (struct ntt_permute){.out = out,
                                .in = in,
                                .lg_n = d->lg_n,
                                .digits = d->digits,
                                .order = order,
                                .mask = ((uint64_t)1 << d->lg_n) - 1};
}

static enum cuzk_status tiny(const struct domain *d, void *data, bool is_inverse, bool coset,
                             cudaStream_t stream, struct cuzk_error *err)
{
    const struct scalar one = {{1}};

    if (is_inverse)
        return CU(d->kernels->ntt_tiny(data, d->lg_n, &d->root[INVERSE], &one, &d->n_inverse,
                                       coset ? &d->g_inverse : &one, stream),
                  err);
    return CU(d->kernels->ntt_tiny(data, d->lg_n, &d->root[FORWARD], coset ? &d->g : &one, &one,
                                   &one, stream),
              err);
}

static enum cuzk_status ntt_natural(const struct domain *d, void *data, void *scratch,
                                    bool is_inverse, bool coset, cudaStream_t stream,
                                    struct cuzk_error *err)
{
    struct ntt_permute move =
        permute_of(d, is_inverse ? data : scratch, is_inverse ? scratch : data,
                   is_inverse ? NTT_TO_NATURAL : NTT_TO_DIGITS);

    if (is_inverse == coset)
        move.low = d->back_low, move.high = d->back_high;
    if (is_inverse) {
        TRY(inverse(d, data, scratch, LAST_PLAIN, stream, err));
        return CU(d->kernels->ntt_permute(&move, stream), err);
    }
    if (coset)
        move.last_digit = d->last[LAST_G];
    else
        move.mask = ((uint64_t)1 << (d->lg_n - d->digits.lg[d->digits.n - 1])) - 1;
    TRY(CU(d->kernels->ntt_permute(&move, stream), err));
    return forward(d, scratch, data, NULL, stream, err);
}

size_t cuda_ntt_bytes(const struct curve *curve, unsigned lg_n)
{
    return lg_n < 3 ? 0 : cuda_piece(curve->fr_bytes << lg_n);
}

void cuda_ntt(struct stream *s, const struct domain *d, struct buf *a, bool is_inverse, bool coset)
{
    struct cuzk_error *err = &s->failure;
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "ntt"))
        return;
    if (d->lg_n < 3) {
        cuda_op_end(s, tiny(d, buf_data(a), is_inverse, coset, s->cuda, err), err);
        return;
    }
    TRY_GOTO(st, out,
             cuda_scratch_begin(s, cuda_ntt_bytes(s->device->curve, d->lg_n), &scratch, err));
    st = ntt_natural(d, buf_data(a), scratch, is_inverse, coset, s->cuda, err);
    cuda_scratch_end(s);
out:
    cuda_op_end(s, st, err);
}

/* ---- the quotient --------------------------------------------------------------------------- */

/* digit order: from coefficients times g^(M k_last) 1/N, as `last` says, to values on the coset;
 * the odd coset's shift s is made of g's by (s/g)^k g^k. */
static enum cuzk_status evaluate(const struct domain *d, void *data, bool mont, bool odd,
                                 const void *other, cudaStream_t stream, struct cuzk_error *err)
{
    TRY(inverse(d, data, data,
                odd    ? (mont ? LAST_MONT_PLAIN : LAST_PLAIN)
                : mont ? LAST_MONT_COSET
                       : LAST_COSET,
                stream, err));
    if (odd) {
        struct ntt_permute shift = permute_of(d, data, data, NTT_IN_DIGITS);

        shift.low = d->odd_low;
        shift.high = d->odd_high;
        shift.last_digit = d->last[LAST_G];
        TRY(CU(d->kernels->ntt_permute(&shift, stream), err));
    }
    return forward(d, data, data, other, stream, err);
}

/* a = a b on the coset, b destroyed. H_POWERS: on its way back from there, over Z: coefficients in
 * digit order, times g^(k mod M). */
static enum cuzk_status multiply_on_coset(const struct domain *d, void *a, void *b,
                                          enum h_basis basis, cudaStream_t stream,
                                          struct cuzk_error *err)
{
    const bool odd = basis == H_ODD_COSET, powers = basis == H_POWERS;

    TRY(evaluate(d, b, !powers, odd, NULL, stream, err));
    TRY(evaluate(d, a, false, odd, b, stream, err));
    return powers ? inverse(d, a, a, LAST_MONT_BACK, stream, err) : CUZK_OK;
}

/* The rest of the way, and the order that is wanted. */
static struct ntt_permute way_back(const struct domain *d, void *out, const void *product,
                                   enum ntt_order order)
{
    struct ntt_permute back = permute_of(d, out, product, order);

    back.low = d->back_low;
    back.high = d->back_high;
    back.mask = ((uint64_t)1 << (d->lg_n - d->digits.lg[d->digits.n - 1])) - 1;
    return back;
}

/* h = (a b - c) / (x^n - 1) in coefficients. On the coset a b = c + h Z with Z = g^n - 1, and
 * modulo x^n - g^n, of which the coset transform is the remainder, a b = c + h (g^n - 1) as
 * polynomials. So c needs no coset transform: 6 in all. c: n elements. */
static enum cuzk_status quotient_powers(const struct domain *d, void *a, void *b, void *c,
                                        struct stream *s, struct cuzk_error *err)
{
    struct ntt_permute last = way_back(d, a, b, NTT_TO_NATURAL);

    TRY(CU(d->kernels->mul_mont(c, a, b, (size_t)1 << d->lg_n, s->cuda), err));
    TRY(inverse(d, c, c, LAST_MONT, s->cuda, err));
    TRY(multiply_on_coset(d, b, a, H_POWERS, s->cuda, err));
    last.minus = c;
    return CU(d->kernels->ntt_permute(&last, s->cuda), err);
}

/* Values of a b - c on a coset; c NULL: of a b. */
static enum cuzk_status quotient_coset(const struct domain *d, void *a, void *b, void *c,
                                       enum h_basis basis, struct stream *s, struct cuzk_error *err)
{
    const size_t n = (size_t)1 << d->lg_n;

    if (c) {
        TRY(CU(d->kernels->mul_mont(c, a, b, n, s->cuda), err));
        TRY(evaluate(d, c, true, basis == H_ODD_COSET, NULL, s->cuda, err));
    }
    TRY(multiply_on_coset(d, a, b, basis, s->cuda, err));
    return c ? CU(d->kernels->sub(a, a, c, n, s->cuda), err) : CUZK_OK;
}

/* c = h, from the product in `a`, which is destroyed. Of H_POWERS they meet in digit order, in `a`,
 * for what leaves that order goes from one vector to another. */
static enum cuzk_status subtract_c(const struct domain *d, void *a, void *c, enum h_basis basis,
                                   struct stream *s, struct cuzk_error *err)
{
    struct ntt_permute meet = way_back(d, a, a, NTT_IN_DIGITS);
    const struct ntt_permute last = permute_of(d, c, a, NTT_TO_NATURAL);

    if (basis != H_POWERS) {
        TRY(evaluate(d, c, false, basis == H_ODD_COSET, NULL, s->cuda, err));
        return CU(d->kernels->sub(c, a, c, (size_t)1 << d->lg_n, s->cuda), err);
    }
    TRY(inverse(d, c, c, LAST_Z, s->cuda, err));
    meet.minus = c;
    TRY(CU(d->kernels->ntt_permute(&meet, s->cuda), err));
    return CU(d->kernels->ntt_permute(&last, s->cuda), err);
}

/* ---- the same below 8 elements, on whole vectors ---- */

static struct scalar shift_of(const struct domain *d, enum h_basis basis)
{
    const struct curve *curve = d->device->curve;
    struct scalar shift = d->g;

    if (basis == H_ODD_COSET && !curve->fr_root(&shift, d->g_generator, d->lg_n + 1))
        curve->fr_mul(&shift, &d->g, &d->g);
    return shift;
}

static enum cuzk_status tiny_evaluate(const struct domain *d, void *data, enum h_basis basis,
                                      struct stream *s, struct cuzk_error *err)
{
    const struct scalar one = {{1}}, shift = shift_of(d, basis);

    TRY(tiny(d, data, true, false, s->cuda, err));
    return CU(d->kernels->ntt_tiny(data, d->lg_n, &d->root[FORWARD], &shift, &one, &one, s->cuda),
              err);
}

/* a = a b on the coset, b destroyed. H_POWERS: its coefficients. */
static enum cuzk_status tiny_multiply(const struct domain *d, void *a, void *b, enum h_basis basis,
                                      struct stream *s, struct cuzk_error *err)
{
    TRY(tiny_evaluate(d, a, basis, s, err));
    TRY(tiny_evaluate(d, b, basis, s, err));
    TRY(CU(d->kernels->mul(a, a, b, (size_t)1 << d->lg_n, s->cuda), err));
    return basis == H_POWERS ? tiny(d, a, true, true, s->cuda, err) : CUZK_OK;
}

/* out = h from that product; out is `a` or `c`, and the other one destroyed. */
static enum cuzk_status tiny_subtract(const struct domain *d, void *out, void *a, void *c,
                                      enum h_basis basis, struct stream *s, struct cuzk_error *err)
{
    const struct curve *curve = s->device->curve;
    const size_t n = (size_t)1 << d->lg_n;
    const struct scalar one = {{1}};
    struct scalar z = power(curve, &d->g, d->lg_n);

    if (basis != H_POWERS) {
        TRY(tiny_evaluate(d, c, basis, s, err));
        return CU(d->kernels->sub(out, a, c, n, s->cuda), err);
    }
    TRY(tiny(d, c, true, false, s->cuda, err));
    TRY(CU(d->kernels->sub(out, a, c, n, s->cuda), err));
    curve->fr_sub(&z, &z, &one);
    curve->fr_inv(&z, &z);
    return CU(d->kernels->scale(out, out, &z, false, n, s->cuda), err);
}

/* c: n elements; NULL: H_COSET_FOLDED. */
static enum cuzk_status quotient_tiny(const struct domain *d, void *a, void *b, void *c,
                                      enum h_basis basis, struct stream *s, struct cuzk_error *err)
{
    if (c)
        TRY(CU(d->kernels->mul(c, a, b, (size_t)1 << d->lg_n, s->cuda), err));
    TRY(tiny_multiply(d, a, b, basis, s, err));
    return c ? tiny_subtract(d, a, a, c, basis, s, err) : CUZK_OK;
}

/* ---- the operations ---- */

size_t cuda_quotient_bytes(const struct curve *curve, unsigned lg_n, enum h_basis basis)
{
    return basis == H_COSET_FOLDED ? 0 : cuda_piece(curve->fr_bytes << lg_n);
}

void cuda_quotient(struct stream *s, const struct domain *d, struct buf *a, struct buf *b,
                   enum h_basis basis)
{
    struct cuzk_error *err = &s->failure;
    const size_t bytes = cuda_quotient_bytes(s->device->curve, d->lg_n, basis);
    void *scratch, *c;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "quotient"))
        return;
    TRY_GOTO(st, out, cuda_scratch_begin(s, bytes, &scratch, err));
    c = bytes ? scratch : NULL;
    if (d->lg_n < 3)
        st = quotient_tiny(d, buf_data(a), buf_data(b), c, basis, s, err);
    else if (basis == H_POWERS)
        st = quotient_powers(d, buf_data(a), buf_data(b), c, s, err);
    else
        st = quotient_coset(d, buf_data(a), buf_data(b), c, basis, s, err);
    cuda_scratch_end(s);
out:
    cuda_op_end(s, st, err);
}

void cuda_quotient_ab(struct stream *s, const struct domain *d, struct buf *a, struct buf *b,
                      enum h_basis basis)
{
    struct cuzk_error *err = &s->failure;

    if (!cuda_op_begin(s, "quotient_ab"))
        return;
    if (d->lg_n < 3)
        cuda_op_end(s, tiny_multiply(d, buf_data(a), buf_data(b), basis, s, err), err);
    else
        cuda_op_end(s, multiply_on_coset(d, buf_data(a), buf_data(b), basis, s->cuda, err), err);
}

void cuda_quotient_c(struct stream *s, const struct domain *d, struct buf *a, struct buf *c,
                     enum h_basis basis)
{
    struct cuzk_error *err = &s->failure;
    void *const to = buf_data(c);

    if (!cuda_op_begin(s, "quotient_c"))
        return;
    if (d->lg_n < 3)
        cuda_op_end(s, tiny_subtract(d, to, buf_data(a), to, basis, s, err), err);
    else
        cuda_op_end(s, subtract_c(d, buf_data(a), to, basis, s, err), err);
}

/* ---- element by element --------------------------------------------------------------------- */

void cuda_pointwise(struct stream *s, enum pointwise_op op, struct buf *out, const struct buf *a,
                    const struct buf *b, const struct scalar *factor, size_t n)
{
    cudaError_t e = cudaErrorInvalidValue;

    if (!cuda_op_begin(s, "pointwise"))
        return;
    switch (op) {
    case POINTWISE_MUL:
        e = s->device->kernels->mul(buf_data(out), buf_data(a), buf_data(b), n, s->cuda);
        break;
    case POINTWISE_SUB:
        e = s->device->kernels->sub(buf_data(out), buf_data(a), buf_data(b), n, s->cuda);
        break;
    case POINTWISE_AXPY:
    case POINTWISE_SCALE:
        e = s->device->kernels->scale(buf_data(out), buf_data(a), factor, op == POINTWISE_AXPY, n,
                                      s->cuda);
        break;
    }
    cuda_op_end(s, CU(e, &s->failure), &s->failure);
}

void cuda_powers_op(struct stream *s, struct buf *out, const struct scalar *first,
                    const struct scalar *base, size_t n)
{
    if (cuda_op_begin(s, "powers"))
        cuda_op_end(
            s, CU(s->device->kernels->powers(buf_data(out), first, base, n, s->cuda), &s->failure),
            &s->failure);
}

void cuda_lagrange_op(struct stream *s, struct buf *out, unsigned lg_n, uint64_t g,
                      const struct scalar *factor, const struct scalar *x, uint64_t first, size_t n)
{
    struct lagrange lagrange;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "lagrange"))
        return;
    if (lagrange_init(&lagrange, s->device->curve, lg_n, g, factor, x, first))
        st = CU(s->device->kernels->lagrange(buf_data(out), &lagrange, n, s->cuda), &s->failure);
    else
        st = error_set(&s->failure, CUZK_USAGE, "no domain of 2^%u elements generated from %llu",
                       lg_n, (unsigned long long)g);
    cuda_op_end(s, st, &s->failure);
}
