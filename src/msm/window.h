/* How wide the windows of a multi-scalar multiplication are, and how many points it holds at once.
 */
#ifndef MSM_WINDOW_H
#define MSM_WINDOW_H

#include <stddef.h>

/* The window c, 2 <= c <= 20, that makes
 *
 *     windows * (n + 2^c + 12 c),   windows = ceil(bits / c)
 *
 * smallest: n additions put the points into 2^(c-1) buckets, two additions a bucket add those up,
 * in c rounds whose inversions cost as much as 12 additions each. The buckets of all windows exist
 * at the same time and may take 128 MiB: windows * 2^(c-1) * point_bytes. */
unsigned msm_window(size_t n, unsigned bits, size_t point_bytes);

/* Points decoded at a time: all n, or at least 2^16 and four for each bucket, so that the passes
 * over the buckets, one for each tile, stay cheap. */
size_t msm_tile(size_t n, unsigned window);

/* Into how many tasks the additions of a window are cut, a power of two up to 2^(c-1): enough for
 * eight tasks a thread, and 2^14 terms of the tile or fewer in each, about a millisecond. Each task
 * owns a part of the buckets. */
unsigned msm_slices(unsigned n_windows, unsigned window, size_t tile, unsigned n_threads);

/* Into how many tasks sorting a window's terms is cut: one, unless there are more than two threads
 * a window, for each of the tasks looks at all of the tile. */
unsigned msm_sort_slices(unsigned n_windows, unsigned window, unsigned n_threads);

#endif
