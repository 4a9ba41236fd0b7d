/* A packed witness and a key's points on the device. */
#ifndef BACKEND_CUDA_CUDA_WITNESS_H
#define BACKEND_CUDA_CUDA_WITNESS_H

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/launch.h"

/* Map, bits and rank of 32 variables side by side, twice: spmv_kernels.cu. */
enum { CUDA_RECORD_BYTES = 32 };

struct witness_handle {
    struct device *device;
    struct piece *piece;
    size_t n_inputs, n_aux, n_full;
    uint8_t *values; /* inputs, then full values */
    uint64_t *full_map, *bits;
    uint32_t *full_rank;
    uint8_t *records; /* one for 64 variables */
};

/* The multiples 2^(c n_sets j) of every point that a handle holds, j in [0, n), for windows of c
 * bits: all windows of a dense sum in n_sets sets of buckets. n = 1: none but the points. */
struct cuda_multiples {
    unsigned n, c, n_sets;
};
/* The best of at most `most` for sums of n terms in the scratch of a sum without (cuda_msm.c). */
struct cuda_multiples cuda_multiples_of(enum cuda_group group, size_t n, unsigned most);

struct bases {
    struct device *device;
    struct bases_source source;
    enum cuda_group group;
    size_t n, n_input_points;
    struct piece *piece;
    struct cuda_multiples multiples;
    uint8_t *table;        /* n points and one at infinity; then as many for each multiple */
    uint8_t *doubling;     /* room for a tile of XYZZ points, where there are multiples */
    uint32_t *input_index; /* n_input_points: which input a point belongs to */
    uint64_t *aux_map;     /* NULL: all */
    uint32_t *aux_rank;
};

#endif
