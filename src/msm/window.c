#include "msm/window.h"

#include <stdint.h>

enum { WINDOW_MIN = 2, WINDOW_MAX = 20, SLICE_MAX = 1 << 14 };
static const size_t bucket_bytes_max = (size_t)128 << 20;

unsigned msm_window(size_t n, unsigned bits, size_t point_bytes)
{
    unsigned best = WINDOW_MIN;
    double best_cost = 0;

    for (unsigned c = WINDOW_MIN; c <= WINDOW_MAX; c++) {
        const unsigned windows = (bits + c - 1) / c;
        const double cost = windows * ((double)n + (double)(UINT64_C(1) << c) + 12.0 * c);

        if (windows * point_bytes * ((size_t)1 << (c - 1)) > bucket_bytes_max)
            break;
        if (c == WINDOW_MIN || cost < best_cost) {
            best = c;
            best_cost = cost;
        }
    }
    return best;
}

size_t msm_tile(size_t n, unsigned window)
{
    const size_t four_a_bucket = (size_t)4 << (window - 1), least = (size_t)1 << 16;
    const size_t tile = four_a_bucket > least ? four_a_bucket : least;

    return n < tile ? n : tile;
}

unsigned msm_slices(unsigned n_windows, unsigned window, size_t tile, unsigned n_threads)
{
    unsigned slices = 1;

    while ((tile / slices > SLICE_MAX || (n_threads > 1 && n_windows * slices < 8 * n_threads)) &&
           slices < 1u << (window - 1))
        slices *= 2;
    return slices;
}

unsigned msm_sort_slices(unsigned n_windows, unsigned window, unsigned n_threads)
{
    unsigned slices = 1;

    while (2 * n_windows * slices < n_threads && slices < 1u << (window - 1))
        slices *= 2;
    return slices;
}
