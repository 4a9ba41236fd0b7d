/* Portable C on the thread pool: every operation of the waist, plainly. The oracle of all others.
 */
#include "backend/cpu/cpu_backend.h"

#include "backend/cpu/cpu_device.h"

static const char *cpu_unavailable(void)
{
    return NULL;
}

const struct backend backend_cpu = {
    .name = "cpu",
    .unavailable = cpu_unavailable,
    .open = cpu_open,
    .domain_bytes = cpu_domain_bytes,
    .msm_bytes = cpu_msm_bytes,
    .msm_witness_bytes = cpu_msm_witness_bytes,
    .fixed_base_bytes = cpu_fixed_base_bytes,
    .fixed_base_mul_bytes = cpu_fixed_base_mul_bytes,
#include "backend/cpu/cpu_operations.inc.h"
};
