/* The points of launch.h as the kernels see them. */
#pragma once
#include "backend/cuda/launch.h"
#include "backend/cuda/point.cuh"

/* f<fp>(..) or f<fp2>(..) */
#define BY_GROUP(group, f, ...) (cuda_is_g1(group) ? f<fp>(__VA_ARGS__) : f<fp2>(__VA_ARGS__))

template <class F> static points points_of(const struct cuda_points &p)
{
    const size_t before = (size_t)p.n_table * units<F>();

    return points{(const uint4 *)p.table, (uint4 *)p.temp_x - before, (uint4 *)p.temp_y - before,
                  p.n_table};
}
