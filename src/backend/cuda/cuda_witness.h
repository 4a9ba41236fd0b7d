/* A packed witness and a key's points on the device. */
#ifndef BACKEND_CUDA_CUDA_WITNESS_H
#define BACKEND_CUDA_CUDA_WITNESS_H

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/launch.h"

struct witness_handle {
    struct device *device;
    struct piece *piece;
    size_t n_inputs, n_aux, n_full;
    uint8_t *values; /* inputs, then full values */
    uint64_t *full_map, *bits;
    uint32_t *full_rank;
    void *records; /* map, bits and rank of 32 variables side by side: spmv_kernels.cu */
};

struct bases {
    struct device *device;
    struct bases_source source;
    enum cuda_group group;
    size_t n, n_input_points;
    struct piece *piece;
    uint8_t *table;        /* n points and one at infinity */
    uint32_t *input_index; /* n_input_points: which input a point belongs to */
    uint64_t *aux_map;     /* NULL: all */
    uint32_t *aux_rank;
};

#endif
