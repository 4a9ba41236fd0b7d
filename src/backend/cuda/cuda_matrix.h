/* A recorded matrix on the device. */
#ifndef BACKEND_CUDA_CUDA_MATRIX_H
#define BACKEND_CUDA_CUDA_MATRIX_H

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/launch.h"

/* A segment's arrays on the device. */
struct resident {
    uint32_t *row_end, *var, *coef, *imports, *long_rows;
    size_t n_long;
};

struct matrix_handle {
    struct device *device;
    const struct matrix *matrix;
    struct piece *piece;
    uint8_t *plain, *mont;
    int64_t *small;
    struct resident *segments; /* n_segments */
};

/* Segment i, whose first row is `row`, for a launch; the fields of a witness and of the rows wanted
 * are left empty. */
struct cuda_segment cuda_segment_of(const struct matrix_handle *h, size_t i, uint64_t row);

#endif
