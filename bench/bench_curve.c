/* Single points and pairings of BLS12-381 beside blst's, seen from inside our unit: both keep the
 * same words in the same order, so that one value serves both. */
#include "curves/bls12_381.c"

#include "bench.h"
#include "blst_peer.h"

enum { N_PAIRS = 3, REPEAT = 1000, REPEAT_SLOW = 20 };

static fp2_t fp2_x, fp2_y;
static fp12_t value, unit;
static g1_affine_t g1_at[N_PAIRS];
static g2_affine_t g2_at[N_PAIRS];
static g1_t g1_x;
static g2_t g2_x;
static fr_t scalar;
static uint8_t g1_bytes[48], g2_bytes[96];
static unsigned sink; /* keeps answers alive */

#define CASE(name, repeat, step, peer_step)                                                        \
    static void ours_##name(void *ctx)                                                             \
    {                                                                                              \
        (void)ctx;                                                                                 \
        for (int i = 0; i < (repeat); i++)                                                         \
            step;                                                                                  \
    }                                                                                              \
    static void peer_##name(void *ctx)                                                             \
    {                                                                                              \
        (void)ctx;                                                                                 \
        for (int i = 0; i < (repeat); i++)                                                         \
            PEER_STEP(peer_step);                                                                  \
    }
#define AS(type, x) ((blst_##type *)(void *)&(x))

static void ours_miller_loop(size_t n)
{
    struct ate_pair pairs[N_PAIRS];

    for (size_t i = 0; i < n; i++)
        ate_pair_init(&pairs[i], &g1_at[i], &g2_at[i]);
    pairing_miller(&value, pairs, n, NULL, 0);
}

#ifdef CUZK_HAVE_BLST
static void peer_miller_loop(size_t n)
{
    const blst_p1_affine *p[N_PAIRS];
    const blst_p2_affine *q[N_PAIRS];

    for (size_t i = 0; i < n; i++) {
        p[i] = AS(p1_affine, g1_at[i]);
        q[i] = AS(p2_affine, g2_at[i]);
    }
    blst_miller_loop_n(AS(fp12, value), q, p, n);
}
#endif

CASE(fp2_mul, REPEAT, fp2_mul(&fp2_x, &fp2_x, &fp2_y),
     blst_fp2_mul(AS(fp2, fp2_x), AS(fp2, fp2_x), AS(fp2, fp2_y)))
CASE(fp2_sqr, REPEAT, fp2_sqr(&fp2_x, &fp2_x), blst_fp2_sqr(AS(fp2, fp2_x), AS(fp2, fp2_x)))
CASE(fp12_mul, REPEAT, fp12_mul(&value, &value, &unit),
     blst_fp12_mul(AS(fp12, value), AS(fp12, value), AS(fp12, unit)))
CASE(fp12_sqr, REPEAT, fp12_sqr(&value, &value), blst_fp12_sqr(AS(fp12, value), AS(fp12, value)))
CASE(cyclotomic, REPEAT, fp12_sqr_cyclotomic(&unit, &unit),
     blst_fp12_cyclotomic_sqr(AS(fp12, unit), AS(fp12, unit)))
CASE(g1_add, REPEAT, g1_add_mixed(&g1_x, &g1_x, &g1_at[1]),
     blst_p1_add_or_double_affine(AS(p1, g1_x), AS(p1, g1_x), AS(p1_affine, g1_at[1])))
CASE(g2_add, REPEAT, g2_add_mixed(&g2_x, &g2_x, &g2_at[1]),
     blst_p2_add_or_double_affine(AS(p2, g2_x), AS(p2, g2_x), AS(p2_affine, g2_at[1])))
CASE(g1_mul, REPEAT_SLOW, g1_mul(&g1_x, &g1_x, &scalar),
     blst_p1_mult(AS(p1, g1_x), AS(p1, g1_x), (const uint8_t *)scalar.l, 255))
CASE(g2_mul, REPEAT_SLOW, g2_mul(&g2_x, &g2_x, &scalar),
     blst_p2_mult(AS(p2, g2_x), AS(p2, g2_x), (const uint8_t *)scalar.l, 255))
CASE(g1_check, REPEAT_SLOW, sink += g1_in_subgroup(&g1_at[1]),
     sink += blst_p1_affine_in_g1(AS(p1_affine, g1_at[1])))
CASE(g2_check, REPEAT_SLOW, sink += g2_in_subgroup(&g2_at[1]),
     sink += blst_p2_affine_in_g2(AS(p2_affine, g2_at[1])))
CASE(g1_decode, REPEAT_SLOW, sink += g1_read_bytes(&g1_at[2], g1_bytes, true),
     sink += blst_p1_uncompress(AS(p1_affine, g1_at[2]), g1_bytes))
CASE(g2_decode, REPEAT_SLOW, sink += g2_read_bytes(&g2_at[2], g2_bytes, true),
     sink += blst_p2_uncompress(AS(p2_affine, g2_at[2]), g2_bytes))
CASE(miller_1, 1, ours_miller_loop(1), peer_miller_loop(1))
CASE(miller_3, 1, ours_miller_loop(3), peer_miller_loop(3))
CASE(final_exp, 1, pairing_final_exp(&unit, &value),
     blst_final_exp(AS(fp12, unit), AS(fp12, value)))

static void run(const char *title, int repeat, bench_fn *ours, bench_fn *peer)
{
    const struct bench bench = {
        .title = title,
        .rounds = 41,
        .units_per_second = 1e6 / repeat,
        .unit = "us",
        .ours = ours,
        .peer = PEER,
        .peer_fn = peer,
    };

    bench_run(&bench);
}
#define RUN(title, repeat, name) run(title, repeat, ours_##name, peer_##name)

static void set_up(void)
{
    g1_t p;
    g2_t q;

    scalar = fr_modulus_words;
    scalar.l[0] -= 12345;
    scalar.l[3] >>= 1;
    g1_from_affine(&p, &g1_affine_generator);
    g2_from_affine(&q, &g2_affine_generator);
    for (int i = 0; i < N_PAIRS; i++) {
        g1_to_affine(&g1_at[i], &p);
        g2_to_affine(&g2_at[i], &q);
        g1_mul(&p, &p, &scalar);
        g2_mul(&q, &q, &scalar);
    }
    g1_x = p;
    g2_x = q;
    g1_write_bytes(g1_bytes, &g1_at[2], true);
    g2_write_bytes(g2_bytes, &g2_at[2], true);
    fp2_x = g2_at[1].x;
    fp2_y = g2_at[1].y;
    ours_miller_loop(1);
    pairing_final_exp(&unit, &value);
}

int main(void)
{
    set_up();
    RUN("fp2-mul BLS12-381 - 1 1", REPEAT, fp2_mul);
    RUN("fp2-sqr BLS12-381 - 1 1", REPEAT, fp2_sqr);
    RUN("fp12-mul BLS12-381 - 1 1", REPEAT, fp12_mul);
    RUN("fp12-sqr BLS12-381 - 1 1", REPEAT, fp12_sqr);
    RUN("fp12-cyclotomic-sqr BLS12-381 - 1 1", REPEAT, cyclotomic);
    RUN("add-mixed BLS12-381 G1 1 1", REPEAT, g1_add);
    RUN("add-mixed BLS12-381 G2 1 1", REPEAT, g2_add);
    RUN("multiple BLS12-381 G1 1 1", REPEAT_SLOW, g1_mul);
    RUN("multiple BLS12-381 G2 1 1", REPEAT_SLOW, g2_mul);
    RUN("in-subgroup BLS12-381 G1 1 1", REPEAT_SLOW, g1_check);
    RUN("in-subgroup BLS12-381 G2 1 1", REPEAT_SLOW, g2_check);
    RUN("decompress BLS12-381 G1 1 1", REPEAT_SLOW, g1_decode);
    RUN("decompress BLS12-381 G2 1 1", REPEAT_SLOW, g2_decode);
    RUN("miller-loop BLS12-381 - 1 1", 1, miller_1);
    RUN("miller-loop BLS12-381 - 3 1", 1, miller_3);
    RUN("final-exp BLS12-381 - 1 1", 1, final_exp);
    return sink == 1;
}
