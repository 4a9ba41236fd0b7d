/* A sum of products is the same for every window, tile, slice and number of threads: the template
 * of the tests, one curve a program. Included before the curve's unit, it takes the four decisions
 * of msm/window.h away from the unit; the tests follow in window_tests.inc.h. */
#include "msm/window.h"

static struct {
    unsigned window, slices, sort_slices;
    size_t tile;
} forced;

static unsigned forced_window(size_t n, unsigned bits, size_t point_bytes)
{
    return forced.window ? forced.window : msm_window(n, bits, point_bytes);
}

static size_t forced_tile(size_t n, unsigned window)
{
    const size_t tile = forced.tile ? forced.tile : msm_tile(n, window);

    return n < tile ? n : tile;
}

static unsigned forced_slices(unsigned n_windows, unsigned window, size_t tile, unsigned n_threads)
{
    return forced.slices ? forced.slices : msm_slices(n_windows, window, tile, n_threads);
}

static unsigned forced_sort_slices(unsigned n_windows, unsigned window, unsigned n_threads)
{
    return forced.sort_slices ? forced.sort_slices : msm_sort_slices(n_windows, window, n_threads);
}

#define msm_window forced_window
#define msm_tile forced_tile
#define msm_slices forced_slices
#define msm_sort_slices forced_sort_slices
