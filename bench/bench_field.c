/* Field operations, in dependent chains, beside blst's. */
#include "bench.h"
#include "blst_peer.h"

#include "base/rng.h"
#include "params/bls12_381.h"

#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"

enum { REPEAT = 2000, REPEAT_SLOW = 50 };

static fp_t fp_x, fp_y;
static fr_t fr_x, fr_y;

/* A chain of ours, and the peer's on the same kind of element: both are words in Montgomery form.
 */
#define CHAIN(name, repeat, step, peer_step)                                                       \
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
#define A(x) ((blst_fp *)&(x))
#define S(x) ((blst_fr *)&(x))

CHAIN(fp_mul, REPEAT, fp_mul(&fp_x, &fp_x, &fp_y), blst_fp_mul(A(fp_x), A(fp_x), A(fp_y)))
CHAIN(fp_sqr, REPEAT, fp_sqr(&fp_x, &fp_x), blst_fp_sqr(A(fp_x), A(fp_x)))
CHAIN(fp_add, REPEAT, fp_add(&fp_x, &fp_x, &fp_y), blst_fp_add(A(fp_x), A(fp_x), A(fp_y)))
CHAIN(fp_sub, REPEAT, fp_sub(&fp_x, &fp_x, &fp_y), blst_fp_sub(A(fp_x), A(fp_x), A(fp_y)))
CHAIN(fp_inv, REPEAT_SLOW, fp_inv(&fp_x, &fp_x), blst_fp_eucl_inverse(A(fp_x), A(fp_x)))
CHAIN(fr_mul, REPEAT, fr_mul(&fr_x, &fr_x, &fr_y), blst_fr_mul(S(fr_x), S(fr_x), S(fr_y)))
CHAIN(fr_sqr, REPEAT, fr_sqr(&fr_x, &fr_x), blst_fr_sqr(S(fr_x), S(fr_x)))
CHAIN(fr_add, REPEAT, fr_add(&fr_x, &fr_x, &fr_y), blst_fr_add(S(fr_x), S(fr_x), S(fr_y)))
CHAIN(fr_sub, REPEAT, fr_sub(&fr_x, &fr_x, &fr_y), blst_fr_sub(S(fr_x), S(fr_x), S(fr_y)))
CHAIN(fr_inv, REPEAT_SLOW, fr_inv(&fr_x, &fr_x), blst_fr_eucl_inverse(S(fr_x), S(fr_x)))

static void run(const char *title, int repeat, bench_fn *ours, bench_fn *peer)
{
    bench_run(&(struct bench){.title = title,
                              .rounds = BENCH_ROUNDS_MAX,
                              .units_per_second = 1e9 / repeat,
                              .unit = "ns",
                              .ours = ours,
                              .peer = PEER,
                              .peer_fn = peer});
}

int main(void)
{
    struct rng rng;

    rng_seed(&rng, 1);
    rng_bytes(&rng, &fp_x, sizeof fp_x);
    rng_bytes(&rng, &fr_x, sizeof fr_x);
    fp_from_plain(&fp_x, &fp_x);
    fr_from_plain(&fr_x, &fr_x);
    fp_y = fp_x;
    fr_y = fr_x;
    run("mul BLS12-381 Fp - 1", REPEAT, ours_fp_mul, peer_fp_mul);
    run("sqr BLS12-381 Fp - 1", REPEAT, ours_fp_sqr, peer_fp_sqr);
    run("add BLS12-381 Fp - 1", REPEAT, ours_fp_add, peer_fp_add);
    run("sub BLS12-381 Fp - 1", REPEAT, ours_fp_sub, peer_fp_sub);
    run("inv BLS12-381 Fp - 1", REPEAT_SLOW, ours_fp_inv, peer_fp_inv);
    run("mul BLS12-381 Fr - 1", REPEAT, ours_fr_mul, peer_fr_mul);
    run("sqr BLS12-381 Fr - 1", REPEAT, ours_fr_sqr, peer_fr_sqr);
    run("add BLS12-381 Fr - 1", REPEAT, ours_fr_add, peer_fr_add);
    run("sub BLS12-381 Fr - 1", REPEAT, ours_fr_sub, peer_fr_sub);
    run("inv BLS12-381 Fr - 1", REPEAT_SLOW, ours_fr_inv, peer_fr_inv);
    return 0;
}
