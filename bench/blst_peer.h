/* blst as the peer of a benchmark, where it has been built; otherwise there is none. */
#ifndef BENCH_BLST_PEER_H
#define BENCH_BLST_PEER_H

#ifdef CUZK_HAVE_BLST
#include "blst.h"
#define PEER "blst"
#define PEER_STEP(step) step
#else
#define PEER NULL
#define PEER_STEP(step) (void)0
#endif

#endif
