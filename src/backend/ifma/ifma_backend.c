/* The cpu back end with another set of bulk operations: devices are the cpu's, opened with a curve
 * whose tables of kernels hold the lanes' (ifma_kernels.h); what sizes depend on kernels is asked
 * of that curve too. Everything else is the cpu's own.
 *
 *     cpu    device ─► struct curve ─► g1, g2, fr: portable kernels
 *     ifma   device ─► struct curve ─► g1, g2, fr: the same, some replaced
 */
#include "backend/ifma/ifma_backend.h"

#include <pthread.h>
#include <string.h>

#include "backend/cpu/cpu_device.h"
#include "backend/ifma/ifma_kernels.h"
#include "base/cpu.h"

/* ---- the curves ------------------------------------------------------------------------------ */

static const struct {
    const struct curve *curve;
    const struct ifma_kernels *kernels;
    void (*replace_pairing)(struct curve *curve);
    void (*replace_fr)(struct scalar_kernels *kernels); /* NULL: none */
} all[] = {{&curve_bls12_381, &ifma_bls12_381, ifma_pairing_bls12_381, ifma_scalars_bls12_381},
           {&curve_bn254, &ifma_bn254, ifma_pairing_bn254, ifma_scalars_bn254},
           {&curve_toy_bn, &ifma_toy_bn, ifma_pairing_toy_bn, NULL},
           {&curve_toy_bls12, &ifma_toy_bls12, ifma_pairing_toy_bls12, NULL}};

enum { N_CURVES = sizeof all / sizeof *all };

/* Filled once, read-only afterwards. */
static struct {
    struct curve curve;
    struct group_kernels g1, g2;
    struct scalar_kernels fr;
} lanes[N_CURVES];

static void fill(void)
{
    for (size_t i = 0; i < N_CURVES; i++) {
        lanes[i].curve = *all[i].curve;
        lanes[i].g1 = *all[i].curve->g1;
        lanes[i].g2 = *all[i].curve->g2;
        lanes[i].fr = *all[i].curve->fr;
        all[i].replace_pairing(&lanes[i].curve);
        all[i].kernels->replace_g1(&lanes[i].g1);
        all[i].kernels->replace_g2(&lanes[i].g2);
        all[i].kernels->replace_poseidon(&lanes[i].fr);
        if (all[i].replace_fr)
            all[i].replace_fr(&lanes[i].fr);
        lanes[i].curve.g1 = &lanes[i].g1;
        lanes[i].curve.g2 = &lanes[i].g2;
        lanes[i].curve.fr = &lanes[i].fr;
    }
}

const struct curve *ifma_curve(const struct curve *curve)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t i = 0;

    pthread_once(&once, fill);
    while (strcmp(all[i].curve->name, curve->name) != 0)
        i++;
    return &lanes[i].curve;
}

/* ---- the back end ---------------------------------------------------------------------------- */

static const char *ifma_unavailable(void)
{
    return cpu_features()->avx512_ifma ? NULL : "this processor has no AVX-512 IFMA";
}

static enum cuzk_status ifma_open(struct device **ret, const struct device_options *options,
                                  struct cuzk_error *err)
{
    struct device_options lane_options = *options;

    lane_options.curve = ifma_curve(options->curve);
    return cpu_open(ret, &lane_options, err);
}

static size_t ifma_msm_bytes(const struct curve *curve, enum element group, size_t n,
                             unsigned n_threads)
{
    return cpu_msm_bytes(ifma_curve(curve), group, n, n_threads);
}

static size_t ifma_msm_witness_bytes(const struct curve *curve, const struct bases_source *source,
                                     size_t n_full, unsigned n_threads)
{
    return cpu_msm_witness_bytes(ifma_curve(curve), source, n_full, n_threads);
}

static size_t ifma_fixed_base_bytes(const struct curve *curve, enum element group)
{
    return cpu_fixed_base_bytes(ifma_curve(curve), group);
}

static size_t ifma_fixed_base_mul_bytes(const struct curve *curve, enum element group, size_t n,
                                        unsigned n_threads)
{
    return cpu_fixed_base_mul_bytes(ifma_curve(curve), group, n, n_threads);
}

static size_t ifma_domain_bytes(const struct curve *curve, unsigned lg_n, enum domain_tables tables)
{
    return cpu_domain_bytes(ifma_curve(curve), lg_n, tables);
}

const struct backend backend_ifma = {
    .name = "ifma",
    .unavailable = ifma_unavailable,
    .open = ifma_open,
    .domain_bytes = ifma_domain_bytes,
    .msm_bytes = ifma_msm_bytes,
    .msm_witness_bytes = ifma_msm_witness_bytes,
    .fixed_base_bytes = ifma_fixed_base_bytes,
    .fixed_base_mul_bytes = ifma_fixed_base_mul_bytes,
#include "backend/cpu/cpu_operations.inc.h"
};
