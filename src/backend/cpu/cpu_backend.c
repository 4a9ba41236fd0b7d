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
    .close = cpu_close,
    .info = cpu_info,

    .stream_new = cpu_stream_new,
    .stream_free = cpu_stream_free,
    .mark = cpu_mark,
    .wait_on = cpu_wait_on,
    .wait = cpu_wait,

    .buf_bytes = cpu_buf_bytes,
    .buf_new = cpu_buf_new,
    .buf_free = cpu_buf_free,
    .buf_put = cpu_buf_put,
    .buf_get = cpu_buf_get,
    .buf_zero = cpu_buf_zero,
    .select = cpu_select,
    .select_bytes = cpu_select_bytes,
    .find_zero = cpu_find_zero,
    .find_zero_bytes = cpu_find_zero_bytes,

    .witness_bytes = cpu_witness_bytes,
    .witness_put = cpu_witness_put,
    .witness_free = cpu_witness_free,
    .matrix_bytes = cpu_matrix_bytes,
    .matrix_new = cpu_matrix_new,
    .matrix_free = cpu_matrix_free,
    .spmv = cpu_spmv,
    .spmv_transposed = cpu_spmv_transposed,
    .spmv_transposed_bytes = cpu_spmv_transposed_bytes,

    .domain_bytes = cpu_domain_bytes,
    .domain_new = cpu_domain_new,
    .domain_free = cpu_domain_free,
    .ntt = cpu_ntt,
    .ntt_bytes = cpu_ntt_bytes,
    .pointwise = cpu_pointwise,
    .powers = cpu_powers,
    .quotient = cpu_quotient,
    .quotient_bytes = cpu_quotient_bytes,

    .bases_bytes = cpu_bases_bytes,
    .bases_new = cpu_bases_new,
    .bases_free = cpu_bases_free,
    .bases_put = cpu_bases_put,
    .msm_g1 = cpu_msm_g1,
    .msm_g2 = cpu_msm_g2,
    .msm_bytes = cpu_msm_bytes,
    .msm_witness_g1 = cpu_msm_witness_g1,
    .msm_witness_g2 = cpu_msm_witness_g2,
    .msm_witness_bytes = cpu_msm_witness_bytes,

    .fixed_base_bytes = cpu_fixed_base_bytes,
    .fixed_base_new = cpu_fixed_base_new,
    .fixed_base_free = cpu_fixed_base_free,
    .fixed_base_mul = cpu_fixed_base_mul,
    .fixed_base_mul_bytes = cpu_fixed_base_mul_bytes,
    .group_ntt = cpu_group_ntt,
    .group_ntt_bytes = cpu_group_ntt_bytes,
    .point_spmv = cpu_point_spmv,
    .point_spmv_bytes = cpu_point_spmv_bytes,
};
